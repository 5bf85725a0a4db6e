
/* The replay of an evaluation. `world` is the replay data of its world, or null. */

function replayValue(detail, world = null) {
  const [texts, thinking] = [[...detail.texts], thinkingOf(detail)];
  const takeUntil = (rows, turn) => { const taken = []; while (rows.length && rows[0][0] <= turn) taken.push(rows.shift()[1]); return taken; };
  let number = 0;
  const steps = detail.steps.map(([turn, tool, callArguments, status, charged], index) => {
    const counts = status !== "not_first"; /* only the first call of a turn reaches the world; the others have no number */
    number += counts;
    return {
      turn, tool, status, charged, number: counts ? number : null, arguments: callArguments, texts: takeUntil(texts, turn), thinking: takeUntil(thinking, turn),
      response: responseOf(world, status, detail.answers[index]), coverage: counts ? coverageAfter(detail.curve, number) : null,
    };
  });
  return {
    steps, texts: takeUntil(texts, Infinity), thinking: takeUntil(thinking, Infinity), budget: detail.budget, question: world?.question ?? null,
    tools: (world?.tools ?? []).map(([name, price, description]) => ({ name, price, description })),
    sufficient_at: detail.sufficient_at ?? null, determined_at: detail.determined_at ?? null, risks: detail.risks, missing: INDEX.missing,
  };
}

/* [turn, thinking] of every turn of a model. */
const thinkingOf = (detail) => detail.thinking.map(([turn, text, is_encrypted, tokens, seconds]) => [turn, { text, is_encrypted, tokens, seconds }]);

const coverageAfter = (curve, number) => curve.filter(([at]) => at <= number).at(-1)[1];

function responseOf(world, status, answer) {
  if (status === "not_first") return { error: "Only the first call of a turn is executed." };
  if (status in INDEX.refusals) return { error: INDEX.refusals[status] };
  return world === null || answer === null ? null : decodeResponse(world, world.answers[answer]);
}

/* Decode a response: rows are stored once and referenced by runs, cells are stored by column, ids by number. */
function decodeResponse(world, response) {
  if (!Array.isArray(response)) return response;
  const id = (cell) => (Array.isArray(cell) ? cell.map(id) : world.ids[cell]);
  return { tables: response.map(([at, runs]) => {
    const [name, columns, hasIds, cells] = world.tables[at];
    const rows = [];
    for (let run = 0; run < runs.length; run += 2) {
      for (let row = runs[run]; row < runs[run] + runs[run + 1]; row += 1) rows.push(cells.map((column, index) => (hasIds[index] ? id(column[row]) : column[row])));
    }
    return { name, columns, rows };
  }) };
}

function replayBody(row, detail, world) {
  const ending = el("div", {},
    el("p", { class: "verdict" }, el("bdi", {}, detail.verdict)), endedView(detail),
    detail.terms.length ? block("Objective", "Terms of the decision's value against the certified optimum's.", objectiveTable(detail)) : null,
    block("Decision", decisionNote(row, detail), decisionTable(detail)));
  const onMove = (step) => { state.step = step; replaceAddress(row.key, { step }); };
  return el("div", { class: "inside" }, replay(replayValue(detail, world), { at: state.step, ending, onMove }),
    el("p", { class: "note" }, "← and → step through the calls, Home and End go to the question and to the decision."));
}
