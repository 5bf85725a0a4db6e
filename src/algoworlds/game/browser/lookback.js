
/* After the game: the decision beside greedy's and the optimum, what could have been known, and a replay. */

function lookback(found, again, hindsight) {
  const { record, terms, decisions, sense } = found;
  const known = el("div", { role: "status" }, el("p", { class: "note" }, "Working out what you could have known …"));
  hindsight.then((told) => known.replaceChildren(...knownView(told)), (fault) => known.replaceChildren(el("p", {}, fault.message)));
  return [
    el("section", { class: "outcome" },
      el("p", { class: `mark ${outcomeOf(record)}` }, OUTCOMES[outcomeOf(record)]), el("h2", { id: "outcome", tabindex: -1 }, headline(record)),
      el("p", {}, short(found.verdict)), numbers(record), found.next ? el("p", {}, el("a", { class: "next", href: found.next }, "Next world")) : null),
    block("What you could have known", "By the ranges in the task and the answers you got, whatever else is true.", known),
    block("Term by term", "Greedy knows everything and takes what looks best at each step; the optimum is certified by two exact algorithms.",
      beside("Term", terms, (cell) => (cell === null ? "–" : formatInteger(cell)), "number", sense)),
    ...Object.entries(decisions).map(([argument, lines]) => block(toTitle(argument), "Where the decisions differ is marked.",
      beside("", lines, (cell) => (cell === null ? "–" : short(cell)), null))),
    block("Replay", "Your game again: arrow keys step through it.", again),
  ];
}

const OUTCOMES = { optimal: "Globally optimal", suboptimal: "Feasible, not optimal", infeasible: "Infeasible", no_decision: "No decision", protocol_violation: "No decision" };
const outcomeOf = (record) => (record.exact ? "optimal" : record.outcome === "feasible" ? "suboptimal" : record.outcome);

function headline(record) {
  if (record.exact) return "You found the optimum.";
  if (record.outcome === "feasible") return `You are ${formatInteger(record.gap)} away from the optimum.`;
  return record.outcome === "infeasible" ? "Your decision breaks a rule." : "You did not decide.";
}

function numbers(record) {
  const told = [["Utility", `${formatDecimal(record.utility, 1)} of 100`], ["Information", `${formatDecimal(100 * record.coverage, 0)} %`],
    ["Spent", `${formatInteger(record.spend)} of ${formatInteger(record.budget)}`], ["Calls", formatInteger(record.executed_calls)]];
  return el("dl", { class: "numbers" }, ...told.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/* A table of decisions side by side; with `sense`, a number that is better than the optimum's is marked as better. */
function beside(head, lines, spell, kind, sense) {
  const mark = (value, optimum) => {
    if (value === optimum || value === null) return "same";
    return sense && (sense === "min" ? value < optimum : value > optimum) ? "better" : "differs";
  };
  const cell = (value, optimum) => el("td", { class: [kind, mark(value, optimum)].filter(Boolean).join(" "), title: typeof value === "string" ? value : null }, spell(value));
  const rows = lines.map(([about, yours, greedy, optimum], at) => el("tr", { class: kind && at === lines.length - 1 ? "total" : null },
    el("th", { scope: "row", title: about }, toTitle(short(about))), cell(yours, optimum), cell(greedy, optimum), el("td", { class: kind }, spell(optimum))));
  return table([[head], ["Yours", kind], ["Greedy’s", kind], ["Optimum", kind]], rows, head || "Decisions");
}

function knownView(told) {
  const { sentence, witness } = told;
  const said = el("p", { class: "sentence" }, sentence);
  if (!witness?.cells.length) return [said];
  const rows = witness.cells.slice(0, 6).map(({ row, column, true: is, possible }) => el("tr", {}, el("th", { scope: "row" }, words(column)),
    el("td", {}, short(row.join(" "))), el("td", { class: "number" }, is === null ? "–" : formatInteger(is)), el("td", { class: "number" }, formatInteger(possible))));
  return [said, el("p", { class: "note" }, "With every answer you got unchanged, another decision would have been better, had it been so:"),
    table([["Not read"], ["About"], ["In truth", "number"], ["Could be", "number"]], rows, "What else could have been true")];
}
