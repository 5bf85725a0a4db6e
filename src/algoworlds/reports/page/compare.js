
/* The other evaluations on a world, and two of them side by side. */

const othersOf = (row) => ROWS.filter((each) => each.world === row.world && each !== row);
const named = (row) => `${row.configuration}, trial ${row.trial}`;

function sameWorld(row) {
  const groups = new Map();
  for (const each of ROWS) if (each.world === row.world) groups.set(each.configuration, [...(groups.get(each.configuration) ?? []), each]);
  const rows = [...groups].map(([configuration, found]) => el("tr", {},
    el("th", { scope: "row" }, el("bdi", {}, configuration)),
    el("td", {}, el("div", { class: "trials" }, ...found.map((each) => trialLink(row, each))))));
  return table([["Configuration"], ["Trials"]], rows, "Same world");
}

function trialLink(row, each) {
  const told = `${each.trial}: ${CATEGORIES[each.category]}`;
  if (each === row) return el("span", { class: `mark ${each.category} here` }, told);
  return el("a", { class: `mark ${each.category}`, href: `#${addressOf(row.key, { with: each.key })}`, "aria-label": `Compare with ${named(each)}: ${CATEGORIES[each.category]}` }, told);
}

async function compareBody(row, detail) {
  const other = BY_KEY.get(state.other);
  if (!other || other.world !== row.world || other === row) return el("div", { class: "inside" }, el("p", {}, "The address names no other evaluation on this world."), picker(row, null));
  const found = await detailOf(other);
  const [mine, theirs] = [detail, found].map((each) => episodeOf(each));
  const calls = Math.max(...[mine, theirs].flatMap((each) => each.steps.map((step) => step.number ?? 0)));
  const wide = Math.min(460, Math.max(300, innerWidth - 60));
  const courses = [mine, theirs].map((each) => el("div", { class: "coursebox" }, course(each, { calls, wide }), courseKey()));
  return el("div", { class: "inside compare" },
    picker(row, other),
    beside(...[[row, detail], [other, found]].map(([each, told]) => el("div", { class: "contender" },
      el("h3", {}, el("a", { href: `#${addressOf(each.key)}` }, el("bdi", {}, each.configuration)), ` · trial ${each.trial}`),
      mark(each.category), el("p", { class: "verdict" }, el("bdi", {}, told.verdict))))),
    block("Course", "Information gathered and budget left after each call, on one scale.", beside(...courses)),
    detail.terms.length || found.terms.length ? block("Objective", "Terms of both values beside the certified optimum's.", bothObjectives(row, other, detail, found)) : null,
    block("Decision", "Both decisions beside the optimum; what differs from it is marked.", bothDecisions(row, other, detail, found)),
    block("Measures", "What was measured of both.", bothMeasures(row, other, detail, found)),
    block("Calls", callsNote(mine, theirs), beside(...[[row, mine, theirs], [other, theirs, mine]].map((each) => callsOf(...each)))));
}

const beside = (...parts) => el("div", { class: "beside" }, ...parts);

function picker(row, other) {
  const select = el("select", {}, other ? null : el("option", { value: "" }, "Choose one"),
    ...othersOf(row).map((each) => el("option", { value: each.key, selected: each === other }, `${named(each)} (${CATEGORIES[each.category].toLowerCase()})`)));
  select.addEventListener("change", () => { location.hash = addressOf(row.key, { with: select.value }); });
  return el("label", { class: "picker" }, el("span", {}, "Compare with"), select);
}

/* -- terms, entries, measures ------------------------------------------------------------------------------------------ */

const heads = (row, other, first, ...more) => [[first], [named(row)], [named(other)], ...more];

function bothObjectives(row, other, detail, found) {
  const names = [...new Set([...detail.terms, ...found.terms].map(([name]) => name))].sort((one, two) => (one === "objective") - (two === "objective"));
  const rows = names.map((name) => {
    const sides = [detail, found].map((each) => each.terms.find(([term]) => term === name));
    const optimum = (sides[0] ?? sides[1])[2];
    return el("tr", { class: name === "objective" ? "total" : null }, el("th", { scope: "row" }, titled(name)),
      ...sides.map((term) => el("td", { class: `number ${!term || term[3] === "0 %" ? "same" : term[4] ? "better" : "worse"}` }, term ? `${whole(term[1])} (${term[3]})` : "–")),
      el("td", { class: "number" }, whole(optimum)));
  });
  const [first, ...rest] = heads(row, other, "Term", ["Optimum"]);
  return table([first, ...rest.map(([title]) => [title, "number"])], rows, "Objective");
}

function bothDecisions(row, other, detail, found) {
  const entries = new Map();
  [detail, found].forEach((each, side) => each.entries.forEach(([argument, place, chosen, optimal]) => {
    const key = JSON.stringify([argument, place || (optimal ?? chosen)]);
    const entry = entries.get(key) ?? entries.set(key, { argument, place, sides: [null, null], optimal }).get(key);
    entry.sides[side] = chosen;
  }));
  const cell = (value, kind) => el("td", { class: kind }, value === null ? "–" : el("bdi", {}, value));
  const kinds = new Set([...entries.values()].map(({ argument }) => argument));
  const rows = [...entries.values()].map(({ argument, place, sides, optimal }, at) => el("tr", { class: sides.some((each) => each !== optimal) ? "differs" : null },
    el("th", { scope: "row" }, el("bdi", {}, kinds.size > 1 ? `${argument} ${place}` : place || String(at + 1))),
    ...sides.map((each) => cell(each, each === optimal ? "same" : "chosen")), cell(optimal, "same")));
  return el("div", { class: "tall" }, table(heads(row, other, "Entry", ["Optimum"]), rows, "Decisions"));
}

function bothMeasures(row, other, detail, found) {
  const [mine, theirs] = [detail, found].map((each) => new Map(measured(each).map(([name, value]) => [name, value])));
  const rows = [...new Set([...mine.keys(), ...theirs.keys()])].map((name) => el("tr", { class: mine.get(name) === theirs.get(name) ? "alike" : null },
    el("th", { scope: "row" }, name), ...[mine, theirs].map((each) => el("td", {}, el("bdi", {}, each.get(name) ?? "–")))));
  return el("div", { class: "tall" }, table(heads(row, other, "Measure"), rows, "Measures"));
}

/* -- calls ------------------------------------------------------------------------------------------------------------- */

const asked = (step) => `${step.tool} ${step.arguments}`;
const executed = (episode) => episode.steps.filter((step) => step.status === "executed");
const askedBy = (episode) => new Set(executed(episode).map(asked));

function callsNote(mine, theirs) {
  const [one, two] = [askedBy(mine), askedBy(theirs)];
  const both = [...one].filter((each) => two.has(each)).length;
  return `${whole(both)} different calls were made by both, ${whole(one.size - both)} by the first alone and ${whole(two.size - both)} by the second alone, which are marked.`;
}

function callsOf(row, episode, others) {
  const known = askedBy(others);
  const rows = episode.steps.map((step, place) => el("tr", { class: step.status === "executed" && !known.has(asked(step)) ? "alone" : null },
    el("td", { class: "number" }, whole(place + 1)),
    el("td", {}, el("a", { class: "tool", href: `#${addressOf(row.key, { step: place + 1 })}` }, el("bdi", {}, step.tool)), " ", el("small", {}, REFUSED(step.status) ? words(step.status) : shortArguments(step.arguments))),
    el("td", { class: "number" }, whole(step.charged))));
  return el("div", { class: "tall" }, table([["#", "number"], ["Call"], ["Charge", "number"]], rows, `Calls of ${named(row)}`));
}
