
/* The other evaluations on a world, and two of them side by side. */

const othersOf = (row) => ROWS.filter((other) => other.world === row.world && other !== row);
const trialLabel = (row) => `${row.configuration}, trial ${row.trial}`;

function sameWorldTable(row) {
  const groups = new Map();
  for (const other of ROWS) if (other.world === row.world) groups.set(other.configuration, [...(groups.get(other.configuration) ?? []), other]);
  const rows = [...groups].map(([configuration, trials]) => el("tr", {},
    el("th", { scope: "row" }, el("bdi", {}, configuration)),
    el("td", {}, el("div", { class: "trials" }, ...trials.map((trial) => trialLink(row, trial))))));
  return table([["Configuration"], ["Trials"]], rows, "Same world");
}

function trialLink(row, other) {
  const label = `${other.trial}: ${CATEGORIES[other.category]}`;
  if (other === row) return el("span", { class: `mark ${other.category} here` }, label);
  return el("a", { class: `mark ${other.category}`, href: `#${addressOf(row.key, { with: other.key })}`, "aria-label": `Compare with ${trialLabel(other)}: ${CATEGORIES[other.category]}` }, label);
}

async function compareBody(row, detail) {
  const other = BY_KEY.get(state.other);
  if (!other || other.world !== row.world || other === row) return el("div", { class: "inside" }, el("p", {}, "The address names no other evaluation on this world."), opponentPicker(row, null));
  const otherDetail = await loadDetail(other);
  const [mine, theirs] = [detail, otherDetail].map((side) => replayValue(side));
  const calls = Math.max(...[mine, theirs].flatMap((episode) => episode.steps.map((step) => step.number ?? 0)));
  const wide = Math.min(460, Math.max(300, innerWidth - 60));
  const charts = [mine, theirs].map((episode) => el("div", { class: "progressbox" }, progressChart(episode, { calls, wide }), progressLegend()));
  return el("div", { class: "inside compare" },
    opponentPicker(row, other),
    sideBySide(...[[row, detail], [other, otherDetail]].map(([side, sideDetail]) => el("div", { class: "contender" },
      el("h3", {}, el("a", { href: `#${addressOf(side.key)}` }, el("bdi", {}, side.configuration)), ` · trial ${side.trial}`),
      categoryMark(side.category), el("p", { class: "verdict" }, el("bdi", {}, sideDetail.verdict))))),
    block("Progress", "Information gathered and budget left after each call, on one scale.", sideBySide(...charts)),
    detail.terms.length || otherDetail.terms.length ? block("Objective", "Terms of both values beside the certified optimum's.", objectivesTable(row, other, detail, otherDetail)) : null,
    block("Decision", "Both decisions beside the optimum; differences from it are marked.", decisionsTable(row, other, detail, otherDetail)),
    block("Measures", "The measures of both evaluations.", measuresTable(row, other, detail, otherDetail)),
    block("Calls", callsNote(mine, theirs), sideBySide(...[[row, mine, theirs], [other, theirs, mine]].map((sides) => callsOf(...sides)))));
}

const sideBySide = (...parts) => el("div", { class: "beside" }, ...parts);

function opponentPicker(row, other) {
  const select = el("select", {}, other ? null : el("option", { value: "" }, "Choose one"),
    ...othersOf(row).map((option) => el("option", { value: option.key, selected: option === other }, `${trialLabel(option)} (${CATEGORIES[option.category].toLowerCase()})`)));
  select.addEventListener("change", () => { location.hash = addressOf(row.key, { with: select.value }); });
  return el("label", { class: "picker" }, el("span", {}, "Compare with"), select);
}

/* -- terms, entries, measures ------------------------------------------------------------------------------------------ */

const comparisonHeads = (row, other, first, ...more) => [[first], [trialLabel(row)], [trialLabel(other)], ...more];

function objectivesTable(row, other, detail, otherDetail) {
  const names = [...new Set([...detail.terms, ...otherDetail.terms].map(([name]) => name))].sort((one, two) => (one === "objective") - (two === "objective"));
  const rows = names.map((name) => {
    const sides = [detail, otherDetail].map((side) => side.terms.find(([term]) => term === name));
    const optimum = (sides[0] ?? sides[1])[2];
    return el("tr", { class: name === "objective" ? "total" : null }, el("th", { scope: "row" }, toTitle(name)),
      ...sides.map((term) => el("td", { class: `number ${!term || term[3] === "0 %" ? "same" : term[4] ? "better" : "worse"}` }, term ? `${formatInteger(term[1])} (${term[3]})` : "–")),
      el("td", { class: "number" }, formatInteger(optimum)));
  });
  const [first, ...rest] = comparisonHeads(row, other, "Term", ["Optimum"]);
  return table([first, ...rest.map(([title]) => [title, "number"])], rows, "Objective");
}

function decisionsTable(row, other, detail, otherDetail) {
  const entries = new Map();
  [detail, otherDetail].forEach((decided, side) => decided.entries.forEach(([argument, position, chosen, optimal]) => {
    const key = JSON.stringify([argument, position || (optimal ?? chosen)]);
    const entry = entries.get(key) ?? entries.set(key, { argument, position, sides: [null, null], optimal }).get(key);
    entry.sides[side] = chosen;
  }));
  const cell = (value, kind) => el("td", { class: kind }, value === null ? "–" : el("bdi", {}, value));
  const kinds = new Set([...entries.values()].map(({ argument }) => argument));
  const rows = [...entries.values()].map(({ argument, position, sides, optimal }, index) => el("tr", { class: sides.some((chosen) => chosen !== optimal) ? "differs" : null },
    el("th", { scope: "row" }, el("bdi", {}, kinds.size > 1 ? `${argument} ${position}` : position || String(index + 1))),
    ...sides.map((chosen) => cell(chosen, chosen === optimal ? "same" : "chosen")), cell(optimal, "same")));
  return el("div", { class: "tall" }, table(comparisonHeads(row, other, "Entry", ["Optimum"]), rows, "Decisions"));
}

function measuresTable(row, other, detail, otherDetail) {
  const [mine, theirs] = [detail, otherDetail].map((side) => new Map(measureList(side).map(([name, value]) => [name, value])));
  const rows = [...new Set([...mine.keys(), ...theirs.keys()])].map((name) => el("tr", { class: mine.get(name) === theirs.get(name) ? "alike" : null },
    el("th", { scope: "row" }, name), ...[mine, theirs].map((values) => el("td", {}, el("bdi", {}, values.get(name) ?? "–")))));
  return el("div", { class: "tall" }, table(comparisonHeads(row, other, "Measure"), rows, "Measures"));
}

/* -- calls ------------------------------------------------------------------------------------------------------------- */

const callKey = (step) => `${step.tool} ${step.arguments}`;
const executedSteps = (episode) => episode.steps.filter((step) => step.status === "executed");
const callKeys = (episode) => new Set(executedSteps(episode).map(callKey));

function callsNote(mine, theirs) {
  const [one, two] = [callKeys(mine), callKeys(theirs)];
  const both = [...one].filter((key) => two.has(key)).length;
  return `${formatInteger(both)} different calls were made by both, ${formatInteger(one.size - both)} by the first alone and ${formatInteger(two.size - both)} by the second alone, which are marked.`;
}

function callsOf(row, episode, others) {
  const known = callKeys(others);
  const rows = episode.steps.map((step, index) => el("tr", { class: step.status === "executed" && !known.has(callKey(step)) ? "alone" : null },
    el("td", { class: "number" }, formatInteger(index + 1)),
    el("td", {}, el("a", { class: "tool", href: `#${addressOf(row.key, { step: index + 1 })}` }, el("bdi", {}, step.tool)), " ", el("small", {}, isRejected(step.status) ? words(step.status) : argumentsSummary(step.arguments))),
    el("td", { class: "number" }, formatInteger(step.charged))));
  return el("div", { class: "tall" }, table([["#", "number"], ["Call"], ["Charge", "number"]], rows, `Calls of ${trialLabel(row)}`));
}
