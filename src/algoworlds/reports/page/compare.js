
/* The other evaluations on a world, and up to four of them side by side. */

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

const MAX_COMPARED = 4;

async function compareBody(row, detail) {
  const others = [...new Set(state.others)].map((key) => BY_KEY.get(key)).filter((other) => other && other.world === row.world && other !== row).slice(0, MAX_COMPARED - 1);
  if (!others.length) return el("div", { class: "inside" }, el("p", {}, "The address names no other evaluation on this world."), opponentPicker(row, []));
  const rows = [row, ...others];
  const details = [detail, ...await Promise.all(others.map((other) => loadDetail(other)))];
  const episodes = details.map((side) => replayValue(side));
  const calls = Math.max(...episodes.flatMap((episode) => episode.steps.map((step) => step.number ?? 0)));
  const wide = Math.min(460, Math.max(300, innerWidth - 60));
  const charts = episodes.map((episode) => el("div", { class: "progressbox" }, progressChart(episode, { calls, wide }), progressLegend()));
  return el("div", { class: "inside compare" },
    opponentPicker(row, others),
    sideBySide(...rows.map((side, at) => el("div", { class: "contender" },
      el("h3", {}, el("a", { href: `#${addressOf(side.key)}` }, el("bdi", {}, side.configuration)), ` · trial ${side.trial}`),
      categoryMark(side.category), el("p", { class: "verdict" }, el("bdi", {}, details[at].verdict))))),
    block("Progress", "Information gathered and budget left after each call, on one scale.", sideBySide(...charts)),
    details.some((side) => side.terms.length) ? block("Objective", "Terms of all values beside the certified optimum's.", objectivesTable(rows, details)) : null,
    block("Decision", "All decisions beside the optimum; differences from it are marked.", decisionsTable(rows, details)),
    block("Measures", "The measures of all evaluations.", measuresTable(rows, details)),
    block("Calls", callsNote(episodes), sideBySide(...rows.map((side, at) => callsOf(side, episodes[at], episodes.filter((_, index) => index !== at))))));
}

const sideBySide = (...parts) => el("div", { class: `beside of${parts.length}` }, ...parts);

/* One choice for each evaluation that is compared, and one more to add another. */
function opponentPicker(row, others) {
  const keys = others.map((other) => other.key);
  const picker = (other, at) => {
    const free = othersOf(row).filter((option) => option === other || !keys.includes(option.key));
    const select = el("select", {}, el("option", { value: "" }, other ? "Nothing" : "Choose one"),
      ...free.map((option) => el("option", { value: option.key, selected: option === other }, `${trialLabel(option)} (${CATEGORIES[option.category].toLowerCase()})`)));
    select.addEventListener("change", () => {
      const chosen = [...keys.slice(0, at), select.value, ...keys.slice(at + 1)].filter(Boolean);
      location.hash = addressOf(row.key, chosen.length ? { with: chosen } : {});
    });
    return el("label", { class: "picker" }, el("span", {}, at ? "and with" : "Compare with"), select);
  };
  const room = others.length < Math.min(MAX_COMPARED - 1, othersOf(row).length);
  return el("div", { class: "pickers" }, ...others.map(picker), room ? picker(null, others.length) : null);
}

/* -- terms, entries, measures ------------------------------------------------------------------------------------------ */

const comparisonHeads = (rows, first, ...more) => [[first], ...rows.map((row) => [trialLabel(row)]), ...more];

function objectivesTable(rows, details) {
  const names = [...new Set(details.flatMap((side) => side.terms).map(([name]) => name))].sort((one, two) => (one === "objective") - (two === "objective"));
  const lines = names.map((name) => {
    const sides = details.map((side) => side.terms.find(([term]) => term === name));
    const optimum = sides.find((term) => term)[2];
    return el("tr", { class: name === "objective" ? "total" : null }, el("th", { scope: "row" }, toTitle(name)),
      ...sides.map((term) => el("td", { class: `number ${!term || term[3] === "0 %" ? "same" : term[4] ? "better" : "worse"}` }, term ? `${formatInteger(term[1])} (${term[3]})` : "–")),
      el("td", { class: "number" }, formatInteger(optimum)));
  });
  const [first, ...rest] = comparisonHeads(rows, "Term", ["Optimum"]);
  return table([first, ...rest.map(([title]) => [title, "number"])], lines, "Objective");
}

function decisionsTable(rows, details) {
  const entries = new Map();
  details.forEach((decided, side) => decided.entries.forEach(([argument, position, chosen, optimal]) => {
    const key = JSON.stringify([argument, position || (optimal ?? chosen)]);
    const entry = entries.get(key) ?? entries.set(key, { argument, position, sides: details.map(() => null), optimal }).get(key);
    entry.sides[side] = chosen;
  }));
  const cell = (value, kind) => el("td", { class: kind }, value === null ? "–" : el("bdi", {}, value));
  const kinds = new Set([...entries.values()].map(({ argument }) => argument));
  const lines = [...entries.values()].map(({ argument, position, sides, optimal }, index) => el("tr", { class: sides.some((chosen) => chosen !== optimal) ? "differs" : null },
    el("th", { scope: "row" }, el("bdi", {}, kinds.size > 1 ? `${argument} ${position}` : position || String(index + 1))),
    ...sides.map((chosen) => cell(chosen, chosen === optimal ? "same" : "chosen")), cell(optimal, "same")));
  return el("div", { class: "tall" }, table(comparisonHeads(rows, "Entry", ["Optimum"]), lines, "Decisions"));
}

function measuresTable(rows, details) {
  const sides = details.map((side) => new Map(measureList(side).map(([name, value]) => [name, value])));
  const names = new Set(sides.flatMap((values) => [...values.keys()]));
  const lines = [...names].map((name) => el("tr", { class: new Set(sides.map((values) => values.get(name))).size === 1 ? "alike" : null },
    el("th", { scope: "row" }, name), ...sides.map((values) => el("td", {}, el("bdi", {}, values.get(name) ?? "–")))));
  return el("div", { class: "tall" }, table(comparisonHeads(rows, "Measure"), lines, "Measures"));
}

/* -- calls ------------------------------------------------------------------------------------------------------------- */

const callKey = (step) => `${step.tool} ${step.arguments}`;
const executedSteps = (episode) => episode.steps.filter((step) => step.status === "executed");
const callKeys = (episode) => new Set(executedSteps(episode).map(callKey));

function callsNote(episodes) {
  const keys = episodes.map(callKeys);
  const shared = [...keys[0]].filter((key) => keys.every((other) => other.has(key))).length;
  const alone = keys.map((own, at) => [...own].filter((key) => keys.every((other, index) => index === at || !other.has(key))).length);
  const ordinals = ["first", "second", "third", "fourth"];
  const all = keys.length === 2 ? "both" : "all";
  const single = alone.map((count, at) => `${formatInteger(count)} by the ${ordinals[at]} alone`);
  return `${formatInteger(shared)} different calls were made by ${all}, ${single.slice(0, -1).join(", ")} and ${single.at(-1)}, which are marked.`;
}

function callsOf(row, episode, others) {
  const known = new Set(others.flatMap((other) => [...callKeys(other)]));
  const rows = episode.steps.map((step, index) => el("tr", { class: step.status === "executed" && !known.has(callKey(step)) ? "alone" : null },
    el("td", { class: "number" }, formatInteger(index + 1)),
    el("td", {}, el("a", { class: "tool", href: `#${addressOf(row.key, { step: index + 1 })}` }, el("bdi", {}, step.tool)), " ", el("small", {}, isRejected(step.status) ? words(step.status) : argumentsSummary(step.arguments))),
    el("td", { class: "number" }, formatInteger(step.charged))));
  return el("div", { class: "tall" }, table([["#", "number"], ["Call"], ["Charge", "number"]], rows, `Calls of ${trialLabel(row)}`));
}
