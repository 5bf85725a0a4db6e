
/* One evaluation: its measures, its course, its decision beside the optimum, its calls. */

/* -- opening and closing ----------------------------------------------------------------------------------------------- */

let opening = 0;

async function openEvaluation(key) {
  const row = BY_KEY.get(key);
  const mine = opening += 1;
  const content = row ? await contentOf(row) : message("No such evaluation", "The address names an evaluation that this report does not have.");
  if (opening !== mine || state.evaluation !== key) return; /* another one was asked for meanwhile */
  const dialog = $("evaluation");
  dialog.replaceChildren(...content);
  if (!dialog.open) { dialog.returnValue = ""; dialog.showModal(); }
  $("evaluation-title").focus(); /* what had the focus is gone */
  dialog.scrollTop = 0;
}

async function contentOf(row) {
  try {
    return [evaluationHead(row), await bodyOf(row)];
  } catch (fault) {
    const why = fault instanceof Unshelved ? fault.message : `Its details need a browser of 2023 or later, or the file is damaged (${fault.message}).`;
    return message("This evaluation cannot be shown", why);
  }
}

async function bodyOf(row) {
  const [detail, scene] = await Promise.all([detailOf(row), state.step === null ? null : sceneOf(row)]);
  if (state.step !== null) return replayBody(row, detail, scene);
  return state.other === null ? evaluationBody(row, detail) : compareBody(row, detail);
}

function message(title, text) {
  return [el("div", { class: "inside" }, closeButton(), el("h2", { id: "evaluation-title", tabindex: -1 }, title), el("p", {}, text))];
}

function closeButton() {
  const button = el("button", { type: "button", class: "close", "aria-label": "Close" }, "✕");
  button.addEventListener("click", () => $("evaluation").close());
  return button;
}

function evaluationHead(row) {
  const at = shown.indexOf(row);
  const step = (label, name, to) => {
    const target = at < 0 ? undefined : shown[to];
    return target
      ? el("a", { class: "step", href: `#${addressOf(target.key)}`, "aria-label": name }, label)
      : el("span", { class: "step", "aria-hidden": "true" }, label);
  };
  return el("header", { class: "dialogbar" },
    el("div", {},
      el("h2", { id: "evaluation-title", tabindex: -1 }, el("bdi", {}, row.configuration)),
      el("p", {}, `${row.title}, level ${row.level}, instance ${row.index} · ${titled(row.interface)} · trial ${row.trial}`)),
    el("div", { class: "steps" }, mark(row.category), step("←", "Previous in the list", at - 1), step("→", "Next in the list", at + 1), closeButton()),
    tabs(row));
}

function tabs(row) {
  const now = state.step !== null ? "Replay" : state.other !== null ? "Compare" : "Overview";
  const tab = (name, view) => el("a", { href: `#${addressOf(row.key, view)}`, "aria-current": name === now ? "page" : null }, name);
  const others = othersOf(row);
  return el("nav", { class: "tabs", "aria-label": "Views of this evaluation" }, tab("Overview", {}), tab("Replay", { step: state.step ?? 0 }),
    others.length ? tab("Compare", { with: state.other ?? others[0].key }) : null);
}

/* -- the body ---------------------------------------------------------------------------------------------------------- */

function evaluationBody(row, detail) {
  return el("div", { class: "inside" },
    el("p", { class: "verdict" }, el("bdi", {}, detail.verdict)),
    detail.witness ? block("What else could have been true", witnessNote(detail.witness), witness(detail.witness)) : null,
    measures(detail),
    othersOf(row).length ? block("Same world", "How all configurations did here, trial by trial. Choose one to compare.", sameWorld(row)) : null,
    block("Course", "Information gathered and budget left after each call.", el("div", { class: "coursebox" }, course(episodeOf(detail)), courseKey())),
    detail.terms.length ? block("Objective", "Terms of the decision's value against the certified optimum's.", objective(detail)) : null,
    block("Decision", decisionNote(row, detail), decision(detail)),
    block("Trajectory", trajectoryNote(detail), trajectory(row, detail)));
}

const orNothing = (value, show) => (value === null || value === undefined ? "–" : show(value));
const tokensOf = (tokens) =>
  tokens.filter(([, count]) => count !== null).map(([name, count]) => `${whole(count)} ${name}`).join(", ") || "–";

/* How a measure is spelled by its unit; any other number as it is. */
const SPELLED = {
  "0 or 1": (value) => (value ? "yes" : "no"),
  "share, 0 to 1": (value) => `${fixed(100 * value, 1)} %`,
  "number of a call": (value) => `call ${whole(value)}`,
};
const plainly = (value) => (typeof value === "string" || Number.isInteger(value) ? whole(value) : fixed(value, 3));

/* [title, value in words, what it means] of every measure. */
function measured(detail) {
  const list = INDEX.measures.filter(([name]) => name in detail).map(([name, title, unit, about]) =>
    [title, orNothing(detail[name], SPELLED[unit] ?? plainly), `${about} (${unit})`]);
  list.push(["Ended by", words(detail.stop_reason), "Why the episode stopped; not an outcome."]);
  list.push(["Turns", whole(detail.turns), "Model turns; for scripted agents, calls."]);
  if (detail.footing) list.push(["Footing", titled(detail.footing), "How the decision stands, given what could be known."]);
  if (detail.claim) list.push(["Claim", titled(detail.claim), "What the agent said of its decision; it changes no score."]);
  if (detail.tokens) list.push(["Tokens", tokensOf(detail.tokens), "As the provider reported them."]);
  if (detail.cost !== null) list.push(["Cost", `$${fixed(detail.cost, 4)}`, "By the configured prices."]);
  if (detail.model) list.push(["Model id", detail.model, "As returned by the provider."]);
  list.push(["Observed", `${detail.observed.slice(0, 12)}…`, `Digest of everything the agent was shown: ${detail.observed}`]);
  return list;
}

function measures(detail) {
  return el("dl", { class: "measures" }, ...measured(detail).map(([name, value, about]) =>
    el("div", { title: about }, el("dt", {}, name), el("dd", {}, el("bdi", {}, value)))));
}

/* -- another instance that answers alike ------------------------------------------------------------------------------- */

function witnessNote(found) {
  const shown = "An instance in the stated ranges that would have answered every call in the same words";
  if (found.value === null) return `${shown}, in which this decision is infeasible: ${found.reason ?? "it breaks a rule"}.`;
  return `${shown}, in which this decision is worth ${whole(found.value)} and another one ${whole(found.rival_value)}.`;
}

function witness(found) {
  const cells = found.cells.map(([name, about, column, is, possible]) => el("tr", {},
    el("th", { scope: "row" }, titled(name)), el("td", {}, el("bdi", {}, about)), el("td", {}, words(column)),
    el("td", { class: "number" }, orNothing(is, whole)), el("td", { class: "number" }, whole(possible))));
  const changed = found.changed.map(([argument, place, chosen, rival]) => el("tr", {},
    el("th", { scope: "row" }, el("bdi", {}, `${words(argument)} ${place}`)), el("td", {}, el("bdi", {}, chosen ?? "–")), el("td", {}, el("bdi", {}, rival ?? "–"))));
  return el("div", { class: "witness" },
    cells.length ? table([["Not read"], ["About"], ["Column"], ["In truth", "number"], ["Could be", "number"]], cells, "Cells that were not read") : null,
    changed.length ? table([["Entry"], ["Decision"], ["Better there"]], changed, "The better decision there") : null);
}

/* -- objective and decision -------------------------------------------------------------------------------------------- */

function objective(detail) {
  const rows = detail.terms.map(([name, value, optimum, change, better], place) => {
    const kind = change === "0 %" ? "same" : better ? "better" : "worse";
    return el("tr", { class: place === detail.terms.length - 1 ? "total" : null },
      el("th", { scope: "row" }, titled(name)), el("td", { class: "number" }, whole(value)), el("td", { class: "number" }, whole(optimum)),
      el("td", { class: `number ${kind}` }, change));
  });
  return table([["Term"], ["Decision", "number"], ["Optimum", "number"], ["Change", "number"]], rows, "Objective");
}

function decisionNote(row, detail) {
  const differing = detail.entries.filter(([, , chosen, optimal]) => chosen !== optimal).length;
  if (!detail.decided) return "There is no decision; this is the optimal one.";
  const reason = detail.reason ? ` Infeasible: ${detail.reason}.` : "";
  return differing ? `${whole(differing)} of ${whole(detail.entries.length)} entries differ from the optimum.${reason}` : "The same as the optimum.";
}

function decision(detail) {
  const cell = (value, differs, kind) =>
    el("td", { class: differs ? kind : "same" }, value === null ? el("span", { class: "absent" }, "–") : el("bdi", {}, value));
  const kinds = new Set(detail.entries.map(([argument]) => argument));
  const rows = detail.entries.map(([argument, place, chosen, optimal], at) => {
    const differs = detail.decided && chosen !== optimal;
    const name = kinds.size > 1 ? `${argument} ${place}` : place || String(at + 1);
    return el("tr", { class: differs ? "differs" : null }, el("th", { scope: "row" }, el("bdi", {}, name)),
      detail.decided ? cell(chosen, differs, "chosen") : null, cell(optimal, differs, "optimal"));
  });
  return el("div", { class: "tall" }, table([[kinds.size > 1 ? "Entry" : titled([...kinds][0] ?? "entry")], ...(detail.decided ? [["Decision"]] : []), ["Optimum"]], rows, "Decision"));
}

/* -- trajectory -------------------------------------------------------------------------------------------------------- */

function trajectoryNote(detail) {
  const refused = detail.steps.filter(([, , , status]) => !["executed", "submitted"].includes(status)).length;
  return `${whole(detail.steps.length)} calls${refused ? `, ${whole(refused)} of them refused and free` : ""}. Charge is what a call cost, left what remained.`;
}

function trajectory(row, detail) {
  const rows = [];
  const texts = [...detail.texts];
  let [left, number] = [detail.budget, 0];
  const sayUntil = (turn) => { while (texts.length && texts[0][0] <= turn) rows.push(textRow(...texts.shift())); };
  detail.steps.forEach(([turn, tool, given, status, charged], place) => {
    sayUntil(turn);
    left -= charged;
    const counts = status !== "not_first";
    number += counts;
    rows.push(stepRow(row, place + 1, counts ? whole(number) : "", tool, given, status, charged, left));
    if (counts && number === detail.determined_at) rows.push(milestone("The optimum could be known from here on"));
    if (counts && number === detail.sufficient_at) rows.push(milestone("Information sufficient from here on"));
  });
  sayUntil(Infinity);
  return table([["#", "number"], ["Tool"], ["Arguments"], ["Status"], ["Charge", "number"], ["Left", "number"]], rows, "Trajectory");
}

function milestone(text) {
  return el("tr", { class: "milestone" }, el("td", { colspan: 6 }, text));
}

function stepRow(row, place, number, tool, given, status, charged, left) {
  const kind = status === "executed" ? "plain" : status === "submitted" ? "submitted" : "refused";
  return el("tr", { class: kind }, el("td", { class: "number" }, number),
    el("td", { class: "tool" }, el("a", { href: `#${addressOf(row.key, { step: place })}` }, el("bdi", {}, tool))),
    el("td", { class: "arguments" }, clipped(given)), el("td", {}, el("span", { class: `status ${kind}` }, words(status))),
    el("td", { class: "number" }, whole(charged)), el("td", { class: "number" }, whole(left)));
}

function textRow(turn, text) {
  return el("tr", { class: "said" }, el("td", { class: "number" }, ""), el("td", { colspan: 5 },
    el("span", { class: "turn" }, `turn ${turn}`), clipped(text, 600)));
}
