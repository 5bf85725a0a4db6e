
/* One evaluation: its measures, its progress, its decision beside the optimum, its calls. */

/* -- opening and closing ----------------------------------------------------------------------------------------------- */

let requests = 0;

async function openEvaluation(key) {
  const row = BY_KEY.get(key);
  const request = requests += 1;
  const content = row ? await evaluationContent(row) : messageView("No such evaluation", "The address names an evaluation that this report does not have.");
  if (requests !== request || state.evaluation !== key) return; /* another one was requested meanwhile */
  const dialog = $("evaluation");
  dialog.replaceChildren(...content);
  if (!dialog.open) { dialog.returnValue = ""; dialog.showModal(); }
  $("evaluation-title").focus(); /* the element that had the focus has been replaced */
  dialog.scrollTop = 0;
}

async function evaluationContent(row) {
  try {
    return [evaluationHead(row), await evaluationView(row)];
  } catch (fault) {
    const why = fault instanceof MissingData ? fault.message : `Its details need a browser of 2023 or later, or the file is damaged (${fault.message}).`;
    return messageView("This evaluation cannot be shown", why);
  }
}

async function evaluationView(row) {
  const [detail, world] = await Promise.all([loadDetail(row), state.step === null ? null : loadReplay(row)]);
  if (state.step !== null) return replayBody(row, detail, world);
  return state.others.length ? compareBody(row, detail) : evaluationBody(row, detail);
}

function messageView(title, text) {
  return [el("div", { class: "inside" }, closeButton(), el("h2", { id: "evaluation-title", tabindex: -1 }, title), el("p", {}, text))];
}

function closeButton() {
  const button = el("button", { type: "button", class: "close", "aria-label": "Close" }, "✕");
  button.addEventListener("click", () => $("evaluation").close());
  return button;
}

function evaluationHead(row) {
  const at = listedRows.indexOf(row);
  const step = (label, name, to) => {
    const target = at < 0 ? undefined : listedRows[to];
    return target
      ? el("a", { class: "step", href: `#${addressOf(target.key)}`, "aria-label": name }, label)
      : el("span", { class: "step", "aria-hidden": "true" }, label);
  };
  return el("header", { class: "dialogbar" },
    el("div", {},
      el("h2", { id: "evaluation-title", tabindex: -1 }, el("bdi", {}, row.configuration)),
      el("p", {}, `${row.title}, level ${row.level}, instance ${row.index} · ${toTitle(row.interface)} · trial ${row.trial}`)),
    el("div", { class: "steps" }, categoryMark(row.category), step("←", "Previous in the list", at - 1), step("→", "Next in the list", at + 1), closeButton()),
    viewTabs(row));
}

function viewTabs(row) {
  const current = state.step !== null ? "Replay" : state.others.length ? "Compare" : "Overview";
  const tab = (name, view) => el("a", { href: `#${addressOf(row.key, view)}`, "aria-current": name === current ? "page" : null }, name);
  const others = othersOf(row);
  return el("nav", { class: "tabs", "aria-label": "Views of this evaluation" }, tab("Overview", {}), tab("Replay", { step: state.step ?? 0 }),
    others.length ? tab("Compare", { with: state.others.length ? state.others : others[0].key }) : null);
}

/* -- the body ---------------------------------------------------------------------------------------------------------- */

function evaluationBody(row, detail) {
  return el("div", { class: "inside" },
    el("p", { class: "verdict" }, el("bdi", {}, detail.verdict)),
    endedView(detail),
    detail.witness ? block("What else could have been true", witnessNote(detail.witness), witnessTables(detail.witness)) : null,
    measuresView(detail),
    othersOf(row).length ? block("Same world", "The outcomes of all configurations on this world, trial by trial. Choose one to compare.", sameWorldTable(row)) : null,
    block("Progress", "Information gathered and budget left after each call.", el("div", { class: "progressbox" }, progressChart(replayValue(detail)), progressLegend())),
    detail.terms.length ? block("Objective", "Terms of the decision's value against the certified optimum's.", objectiveTable(detail)) : null,
    block("Decision", decisionNote(row, detail), decisionTable(detail)),
    block("Trajectory", trajectoryNote(detail), trajectoryTable(row, detail)));
}

/* Why the evaluation ended, and the end of the output of an agent that failed. */
function endedView(detail) {
  const reason = el("p", { class: "ended" }, `Ended by ${words(detail.stop_reason)}: `, el("bdi", { class: "verbatim" }, detail.ended));
  if (!detail.output) return reason;
  const output = el("details", { class: "output" }, el("summary", {}, "The end of its output"), el("bdi", { class: "verbatim" }, detail.output));
  return el("div", {}, reason, output);
}

const orDash = (value, show) => (value === null || value === undefined ? "–" : show(value));
const tokensOf = (tokens) =>
  tokens.filter(([, count]) => count !== null).map(([name, count]) => `${formatInteger(count)} ${name}`).join(", ") || "–";

/* How values are formatted, by the unit of the measure. */
const UNIT_FORMATS = {
  "0 or 1": (value) => (value ? "yes" : "no"),
  "share, 0 to 1": (value) => `${formatDecimal(100 * value, 1)} %`,
  "number of a call": (value) => `call ${formatInteger(value)}`,
};
const formatNumber = (value) => (typeof value === "string" || Number.isInteger(value) ? formatInteger(value) : formatDecimal(value, 3));

/* [title, formatted value, meaning] of every measure. */
function measureList(detail) {
  const list = INDEX.measures.filter(([name]) => name in detail).map(([name, title, unit, about]) =>
    [title, orDash(detail[name], UNIT_FORMATS[unit] ?? formatNumber), `${about} (${unit})`]);
  list.push(["Ended by", words(detail.stop_reason), "Why the episode stopped; not an outcome."]);
  list.push(["Turns", formatInteger(detail.turns), "Model turns; for scripted agents, calls."]);
  if (detail.footing) list.push(["Footing", toTitle(detail.footing), "How the decision stands, given what could be known."]);
  if (detail.claim) list.push(["Claim", toTitle(detail.claim), "What the agent said of its decision; it changes no score."]);
  if (detail.tokens) list.push(["Tokens", tokensOf(detail.tokens), "As reported by the provider."]);
  if (detail.cost !== null) list.push(["Cost", `$${formatDecimal(detail.cost, 4)}`, "By the configured prices."]);
  if (detail.model) list.push(["Model id", detail.model, "As returned by the provider."]);
  list.push(["Observed", `${detail.observed.slice(0, 12)}…`, `Digest of everything the agent was shown: ${detail.observed}`]);
  return list;
}

function measuresView(detail) {
  return el("dl", { class: "measures" }, ...measureList(detail).map(([name, value, about]) =>
    el("div", { title: about }, el("dt", {}, name), el("dd", {}, el("bdi", {}, value)))));
}

/* -- another instance that answers alike ------------------------------------------------------------------------------- */

function witnessNote(witness) {
  const about = "An instance in the stated ranges that would have given the same responses";
  if (witness.value === null) return `${about}, in which this decision is infeasible: ${witness.reason ?? "it breaks a rule"}.`;
  return `${about}, in which this decision is worth ${formatInteger(witness.value)} and another one ${formatInteger(witness.rival_value)}.`;
}

function witnessTables(witness) {
  const cells = witness.cells.map(([name, about, column, is, possible]) => el("tr", {},
    el("th", { scope: "row" }, toTitle(name)), el("td", {}, el("bdi", {}, about)), el("td", {}, words(column)),
    el("td", { class: "number" }, orDash(is, formatInteger)), el("td", { class: "number" }, formatInteger(possible))));
  const changed = witness.changed.map(([argument, position, chosen, rival]) => el("tr", {},
    el("th", { scope: "row" }, el("bdi", {}, `${words(argument)} ${position}`)), el("td", {}, el("bdi", {}, chosen ?? "–")), el("td", {}, el("bdi", {}, rival ?? "–"))));
  return el("div", { class: "witness" },
    cells.length ? table([["Not read"], ["About"], ["Column"], ["In truth", "number"], ["Could be", "number"]], cells, "Cells that were not read") : null,
    changed.length ? table([["Entry"], ["Decision"], ["Better there"]], changed, "The better decision there") : null);
}

/* -- objective and decision -------------------------------------------------------------------------------------------- */

function objectiveTable(detail) {
  const rows = detail.terms.map(([name, value, optimum, change, better], index) => {
    const kind = change === "0 %" ? "same" : better ? "better" : "worse";
    return el("tr", { class: index === detail.terms.length - 1 ? "total" : null },
      el("th", { scope: "row" }, toTitle(name)), el("td", { class: "number" }, formatInteger(value)), el("td", { class: "number" }, formatInteger(optimum)),
      el("td", { class: `number ${kind}` }, change));
  });
  return table([["Term"], ["Decision", "number"], ["Optimum", "number"], ["Change", "number"]], rows, "Objective");
}

function decisionNote(row, detail) {
  const differing = detail.entries.filter(([, , chosen, optimal]) => chosen !== optimal).length;
  if (!detail.decided) return "There is no decision; this is the optimal one.";
  const reason = detail.reason ? ` Infeasible: ${detail.reason}.` : "";
  return differing ? `${formatInteger(differing)} of ${formatInteger(detail.entries.length)} entries differ from the optimum.${reason}` : "The same as the optimum.";
}

function decisionTable(detail) {
  const cell = (value, differs, kind) =>
    el("td", { class: differs ? kind : "same" }, value === null ? el("span", { class: "absent" }, "–") : el("bdi", {}, value));
  const kinds = new Set(detail.entries.map(([argument]) => argument));
  const rows = detail.entries.map(([argument, position, chosen, optimal], index) => {
    const differs = detail.decided && chosen !== optimal;
    const name = kinds.size > 1 ? `${argument} ${position}` : position || String(index + 1);
    return el("tr", { class: differs ? "differs" : null }, el("th", { scope: "row" }, el("bdi", {}, name)),
      detail.decided ? cell(chosen, differs, "chosen") : null, cell(optimal, differs, "optimal"));
  });
  return el("div", { class: "tall" }, table([[kinds.size > 1 ? "Entry" : toTitle([...kinds][0] ?? "entry")], ...(detail.decided ? [["Decision"]] : []), ["Optimum"]], rows, "Decision"));
}

/* -- trajectory -------------------------------------------------------------------------------------------------------- */

function trajectoryNote(detail) {
  const rejected = detail.steps.filter(([, , , status]) => !["executed", "submitted"].includes(status)).length;
  return `${formatInteger(detail.steps.length)} calls${rejected ? `, ${formatInteger(rejected)} of them rejected at no charge` : ""}. Charge is the cost of a call, left the budget after it.`;
}

function trajectoryTable(row, detail) {
  const rows = [];
  const texts = [...thinkingOf(detail).map(([turn, thinking]) => [turn, thinkingView(thinking)]), ...detail.texts.map(([turn, text]) => [turn, expandable(text, 600)])]
    .sort(([one], [other]) => one - other); /* stable: of a turn its thinking comes first */
  let [left, number] = [detail.budget, 0];
  const addTextsUntil = (turn) => { while (texts.length && texts[0][0] <= turn) rows.push(textRow(...texts.shift())); };
  detail.steps.forEach(([turn, tool, callArguments, status, charged], index) => {
    addTextsUntil(turn);
    left -= charged;
    const counts = status !== "not_first";
    number += counts;
    rows.push(stepRow(row, index + 1, counts ? formatInteger(number) : "", tool, callArguments, status, charged, left));
    if (counts && number === detail.determined_at) rows.push(milestoneRow("The optimum could be known from here on"));
    if (counts && number === detail.sufficient_at) rows.push(milestoneRow("Information sufficient from here on"));
  });
  addTextsUntil(Infinity);
  return table([["#", "number"], ["Tool"], ["Arguments"], ["Status"], ["Charge", "number"], ["Left", "number"]], rows, "Trajectory");
}

function milestoneRow(text) {
  return el("tr", { class: "milestone" }, el("td", { colspan: 6 }, text));
}

function stepRow(row, step, number, tool, callArguments, status, charged, left) {
  const kind = status === "executed" ? "plain" : status === "submitted" ? "submitted" : "refused";
  return el("tr", { class: kind }, el("td", { class: "number" }, number),
    el("td", { class: "tool" }, el("a", { href: `#${addressOf(row.key, { step })}` }, el("bdi", {}, tool))),
    el("td", { class: "arguments" }, expandable(callArguments)), el("td", {}, el("span", { class: `status ${kind}` }, words(status))),
    el("td", { class: "number" }, formatInteger(charged)), el("td", { class: "number" }, formatInteger(left)));
}

function textRow(turn, content) {
  return el("tr", { class: "said" }, el("td", { class: "number" }, ""), el("td", { colspan: 5 },
    el("span", { class: "turn" }, `turn ${turn}`), content));
}
