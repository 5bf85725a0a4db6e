
/* An evaluation's episode as a replay takes it, of its detail and of the scene of its world. */

function episodeOf(detail, scene = null) {
  const texts = [...detail.texts];
  const saidUntil = (turn) => { const found = []; while (texts.length && texts[0][0] <= turn) found.push(texts.shift()[1]); return found; };
  let number = 0;
  const steps = detail.steps.map(([turn, tool, given, status, charged], place) => {
    const counts = status !== "not_first"; /* calls beyond the first of a turn never reach the world: they have no number */
    number += counts;
    return {
      turn, tool, status, charged, number: counts ? number : null, arguments: given, said: saidUntil(turn),
      response: responseOf(scene, status, detail.answers[place]), coverage: counts ? coverageAt(detail.curve, number) : null,
    };
  });
  return {
    steps, said: saidUntil(Infinity), budget: detail.budget, question: scene?.question ?? null,
    tools: (scene?.tools ?? []).map(([name, price, description]) => ({ name, price, description })),
    sufficient_at: detail.sufficient_at ?? null, determined_at: detail.determined_at ?? null, risks: detail.risks, missing: INDEX.missing,
  };
}

const coverageAt = (curve, number) => curve.filter(([at]) => at <= number).at(-1)[1];

function responseOf(scene, status, place) {
  if (status === "not_first") return { error: "Only the first call of a turn is executed." };
  if (status in INDEX.refusals) return { error: INDEX.refusals[status] };
  return scene === null || place === null ? null : answerOf(scene, scene.answers[place]);
}

/* Rows are kept once and told as runs, cells by column, ids by number. */
function answerOf(scene, told) {
  if (!Array.isArray(told)) return told;
  const id = (cell) => (Array.isArray(cell) ? cell.map(id) : scene.ids[cell]);
  return { tables: told.map(([at, runs]) => {
    const [name, columns, named, cells] = scene.tables[at];
    const rows = [];
    for (let run = 0; run < runs.length; run += 2) {
      for (let row = runs[run]; row < runs[run] + runs[run + 1]; row += 1) rows.push(cells.map((column, place) => (named[place] ? id(column[row]) : column[row])));
    }
    return { name, columns, rows };
  }) };
}

function replayBody(row, detail, scene) {
  const ending = el("div", {},
    el("p", { class: "verdict" }, el("bdi", {}, detail.verdict)),
    detail.terms.length ? block("Objective", "Terms of the decision's value against the certified optimum's.", objective(detail)) : null,
    block("Decision", decisionNote(row, detail), decision(detail)));
  const moved = (step) => { state.step = step; keepAddress(row.key, { step }); };
  return el("div", { class: "inside" }, replay(episodeOf(detail, scene), { at: state.step, ending, moved }),
    el("p", { class: "note" }, "← and → step through the calls, Home and End lead to the question and to the decision."));
}
