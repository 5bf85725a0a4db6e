
/* A game: tools, answers, notebook and decision. Until the game is over the server sends nothing that was not paid for. */

const state = { opening: null, board: null, steps: [], draft: {}, waiting: null };
const ID = /\b[a-z][a-z_]*-[0-9a-hjkmnp-tv-z]{10}\b/g;

/* Replace ids by short names; the server assigns them in the order of appearance. */
function short(text) {
  return String(text).replace(ID, (id) => state.board.names[id] ?? id);
}

/* -- requests ---------------------------------------------------------------------------------------------------------- */

async function asked(what, told) {
  const options = told === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) };
  const response = await fetch(what, options);
  if (!response.ok) throw new Error(`The server says: ${response.statusText || response.status}.`);
  return response.json();
}

/* Every move has a request id, so that it counts once even if it is sent again. */
async function perform(what, told) {
  state.waiting = { what, told: { request: crypto.getRandomValues(new Uint32Array(4)).join("-"), ...told } };
  await sent();
}

async function sent() {
  document.body.toggleAttribute("data-busy", true);
  try {
    take(await asked(state.waiting.what, { ...state.waiting.told, since: state.steps.length }));
    const isCall = state.waiting.what === "call";
    state.waiting = null;
    $("trouble").hidden = true;
    await show();
    if (isCall && !state.board.over) scrollToAnswer();
  } catch (fault) {
    trouble(fault);
  } finally {
    document.body.toggleAttribute("data-busy", false);
  }
}

function trouble(fault) {
  const again = el("button", { type: "button" }, "Try again");
  again.addEventListener("click", () => (state.waiting ? sent() : start()));
  const text = fault instanceof TypeError ? "The server does not answer. If it was stopped, start it again by the same command and open the address it tells." : fault.message;
  $("trouble").replaceChildren(text, " ", again);
  $("trouble").hidden = false;
}

/* On a narrow screen the answers are far below the tools. */
function scrollToAnswer() {
  if (!matchMedia("(max-width: 860px)").matches) return;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  $("answer-title").scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
}

function take(board) {
  state.board = board;
  state.steps.push(...board.steps);
}

/* -- task and tools ---------------------------------------------------------------------------------------------------- */

function showTask() {
  const { title, question, tools, claims } = state.opening;
  document.title = `${title} · AlgoWorlds`;
  $("title").textContent = title;
  $("question").replaceChildren(...short(question).trim().split("\n\n").map((part) => el("p", {}, part)));
  $("tools").replaceChildren(...tools.map(toolForm));
  $("claims").replaceChildren($("claims").firstElementChild, ...["", ...claims].map(claimChoice));
}

function toolForm(tool) {
  const button = el("button", { type: "submit", class: "price" }, `Ask for ${formatInteger(tool.price)}`);
  const pickers = tool.fields.map((field) => el("select", { name: field.name, title: field.about }));
  const labels = pickers.map((picker) => el("label", {}, words(picker.name), picker));
  const fill = (from) => pickers.slice(from).forEach((picker, at) => offer(tool, pickers, from + at));
  pickers.forEach((picker, at) => picker.addEventListener("change", () => fill(at + 1)));
  fill(0);
  const form = el("form", { class: "inquiry", "data-tool": tool.name, "data-price": tool.price },
    el("div", { class: "head" }, el("h3", {}, toTitle(tool.name)), button), el("p", { class: "note" }, tool.about), labels.length ? el("div", { class: "fields" }, ...labels) : null);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = tool.domain.find((each) => pickers.every((picker) => String(each[picker.name]) === picker.value));
    if (chosen) perform("call", { tool: tool.name, arguments: chosen });
  });
  form.advance = () => advance(tool, pickers);
  return form;
}

/* Fill a picker with the values that are valid together with the pickers before it. */
function offer(tool, pickers, at) {
  const { name, value } = pickers[at];
  const fitting = tool.domain.filter((each) => pickers.slice(0, at).every((picker) => String(each[picker.name]) === picker.value));
  const values = [...new Set(fitting.map((each) => String(each[name])))];
  const read = pickers.length === 1 ? readBy(tool) : new Set();
  pickers[at].replaceChildren(...values.map((each) =>
    el("option", { value: each, selected: each === value }, read.has(spellOut({ [name]: each })) ? `${short(each)} ✓` : short(each))));
}

const spellOut = (given) => JSON.stringify(Object.entries(given).map(([name, value]) => [name, String(value)]).sort());
const readBy = (tool) => new Set(state.steps.filter((step) => step.tool === tool.name && step.status === "executed").map((step) => spellOut(JSON.parse(step.arguments))));

/* After a call the pickers move on to the next arguments that were not read yet. */
function advance(tool, pickers) {
  const read = readBy(tool);
  const at = tool.domain.findIndex((each) => pickers.every((picker) => String(each[picker.name]) === picker.value));
  const next = read.has(spellOut(tool.domain[at] ?? {})) ? [...tool.domain.slice(at + 1), ...tool.domain.slice(0, at)].find((each) => !read.has(spellOut(each))) : null;
  pickers.forEach((picker, place) => {
    offer(tool, pickers, place);
    if (next) picker.value = String(next[picker.name]);
  });
}

/* -- state ------------------------------------------------------------------------------------------------------------- */

async function show() {
  if (state.board.over) return showLookback();
  const { left, executed, notebook, builder: pieces } = state.board;
  const { budget, call_cap } = state.opening;
  $("left").textContent = `${formatInteger(left)} of ${formatInteger(budget)} left`;
  $("budget").value = budget ? left / budget : 0;
  $("calls").textContent = `${formatInteger(executed)} ${executed === 1 ? "call" : "calls"}${executed > call_cap - 30 ? ` of at most ${formatInteger(call_cap)}` : ""}`;
  for (const form of document.forms) {
    const price = Number(form.dataset.price ?? 0);
    if (!form.dataset.tool) continue;
    form.querySelector("button").disabled = price > left;
    form.advance();
  }
  $("notebook").replaceChildren(el("div", { class: "notes" }, ...notebookView(notebook)));
  $("builder").replaceChildren(builder(pieces, state.draft, drafted));
  $("game").hidden = false;
  drafted();
  showAnswers();
}

function drafted() {
  sessionStorage.setItem(location.pathname, JSON.stringify(state.draft));
  const gaps = gapsOf(state.board.builder, state.draft);
  $("gaps").textContent = gaps.length ? `${gaps.join("; ")}.` : "";
  const { left, evaluated } = state.board;
  const { name, price } = state.opening.evaluate;
  $("evaluate").textContent = evaluated ? "Evaluated" : `Evaluate once for ${formatInteger(price)} …`;
  $("evaluate").disabled = evaluated || price > left || gaps.length > 0;
  $("evaluate").title = gaps.length && !evaluated ? "Complete the decision first: it can be evaluated only once." : words(name);
}

function showAnswers() {
  const shown = state.steps.map(answerView);
  if (!shown.length) return;
  $("answer").replaceChildren(shown.at(-1));
  $("history").replaceChildren(...shown.slice(0, -1).reverse());
  $("earlier").hidden = shown.length < 2;
}

function answerView({ tool, arguments: given, status, charged, records, answer }) {
  const askedFor = wordsOf(tool, given);
  const head = el("p", { class: "call" }, el("b", {}, toTitle(tool)), askedFor ? ` ${askedFor}` : "", el("span", { class: "charge" }, charged ? ` −${formatInteger(charged)}` : " free"));
  if (!["executed", "submitted"].includes(status)) return el("div", { class: "answered refused" }, head, el("p", {}, answer.error));
  const tables = Object.entries(records).map(([name, { columns, rows }]) => notedTable(toTitle(name), 0, columns, rows));
  const said = "feasible" in answer ? [el("p", { class: "verdict" }, answer.feasible ? `Feasible, worth ${formatInteger(answer.value)}.` : "Infeasible.")] : [];
  return el("div", { class: "answered" }, head, ...said, el("div", { class: "notes" }, ...tables));
}

/* The arguments of a call, in the order of the tool's fields; a decision is shown in the builder. */
function wordsOf(tool, given) {
  const fields = state.opening.tools.find(({ name }) => name === tool)?.fields.map(({ name }) => name) ?? [];
  const told = fields.map((name) => [name, short(JSON.parse(given)[name])]);
  return told.length === 1 ? told[0][1] : told.map(([name, value]) => `${words(name)} ${value}`).join(", ");
}

/* -- notebook ---------------------------------------------------------------------------------------------------------- */

function notebookView({ tables, loose, tried }) {
  const made = [
    ...tables.map(({ title, keys, columns, rows }) => notedTable(title, keys, columns, rows)),
    ...loose.map(({ columns, rows }) => notedTable("Not joined with anything yet", 0, columns, rows)),
    ...tried.map(({ feasible, value }) => el("p", {}, feasible ? `The decision that you evaluated is worth ${formatInteger(value)}.` : "The decision that you evaluated is infeasible.")),
  ];
  return made.length ? made : [el("p", { class: "note" }, "What you read is kept here, joined and in order.")];
}

function notedTable(title, keys, columns, rows) {
  const numeric = columns.map((_, at) => rows.every((row) => row[at] === null || typeof row[at] === "number"));
  const cell = (value, at) => el(at < keys ? "th" : "td", { scope: at < keys ? "row" : null, class: numeric[at] ? "number" : null, title: typeof value === "string" ? value : null }, cellText(value));
  return el("div", { class: "noted" }, el("h3", {}, title),
    table(columns.map((name, at) => [words(short(name)), numeric[at] ? "number" : null]), rows.map((row) => el("tr", {}, ...row.map(cell))), title));
}

function cellText(value) {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map(cellText).join(", ") || "none";
  return typeof value === "number" ? formatInteger(value) : short(value);
}

/* -- decision ---------------------------------------------------------------------------------------------------------- */

function confirmEvaluation() {
  $("evaluation-price").textContent = `It works once and costs ${formatInteger(state.opening.evaluate.price)}.`;
  $("evaluation-summary").replaceChildren(summaryOf(state.board.builder, state.draft));
  $("evaluation").returnValue = "back";
  $("evaluation").showModal();
}

function closeEvaluation() {
  if ($("evaluation").returnValue !== "evaluate") return;
  perform("call", { tool: state.opening.evaluate.name, arguments: argumentsFrom(state.board.builder, state.draft) });
}

function confirmSubmission() {
  const gaps = gapsOf(state.board.builder, state.draft);
  $("summary").replaceChildren(summaryOf(state.board.builder, state.draft), ...gaps.map((gap) => el("p", { class: "warning" }, `${gap}.`)));
  $("confirm").returnValue = "back";
  $("confirm").showModal();
}

function closeConfirm() {
  if ($("confirm").returnValue !== "submit") return;
  const claim = document.querySelector("#claims input:checked").value;
  perform("call", { tool: state.opening.submit, arguments: { ...argumentsFrom(state.board.builder, state.draft), ...(claim ? { claim } : {}) } });
}

function claimChoice(claim) {
  return el("label", {}, el("input", { type: "radio", name: "claim", value: claim, checked: claim === "" }), claim ? toTitle(claim) : "I do not say");
}

/* -- end --------------------------------------------------------------------------------------------------------------- */

async function showLookback() {
  sessionStorage.removeItem(location.pathname);
  $("game").hidden = true;
  document.querySelector(".playbar").classList.add("over");
  const found = await asked("result");
  const again = el("div", { class: "again" }, replay(found.replay));
  const hindsight = asked("hindsight").then((known) => {
    const value = { ...found.replay, determined_at: known.determined_at, risks: known.risk_curve };
    again.replaceChildren(replay(value, { at: again.firstChild.at }));
    return known;
  });
  document.addEventListener("keydown", (event) => stepByKey(again.firstChild, event));
  $("lookback").replaceChildren(...lookback(found, again, hindsight));
  $("lookback").hidden = false;
  $("outcome").focus();
}

async function start() {
  try {
    state.opening = await asked("opening");
    state.steps = [];
    take(await asked("board"));
    state.draft = JSON.parse(sessionStorage.getItem(location.pathname) ?? "{}");
    $("trouble").hidden = true;
    showTask();
    await show();
  } catch (fault) {
    trouble(fault);
  }
}

$("evaluate").addEventListener("click", confirmEvaluation);
$("evaluation").addEventListener("close", closeEvaluation);
$("submit").addEventListener("click", confirmSubmission);
$("confirm").addEventListener("close", closeConfirm);
$("resign").addEventListener("click", () => { $("leave").returnValue = "back"; $("leave").showModal(); });
$("leave").addEventListener("close", () => { if ($("leave").returnValue === "resign") perform("resign", {}); });
start();
