
/* A replay: one episode, step by step, with the information, the budget and the risk after each.
 *
 * `replay(value, {at, ending, onMove})` returns an element. `at` is the first step to show, `ending` an element that follows the
 * last step (the decision beside the optimum), `onMove` is called with the step whenever it changes. `stepByKey(element, event)`
 * handles the arrow keys, Home and End; it returns whether it did. Step 0 is the question, steps 1 to n are the calls, n + 1 is the end.
 *
 * `value` is plain JSON:
 *   question      text, or null if unavailable
 *   tools         [{name, price (null: free), description}]
 *   budget        an integer
 *   steps         one per call: {turn, number, tool, arguments, status, charged, texts, thinking, response, coverage}
 *     number      its number among the calls that reached the world, or null
 *     arguments   the text that the caller sent
 *     texts       [text, ...] that came with the call
 *     thinking    [{text, is_encrypted, tokens, seconds}, ...] of the model up to the call; may be missing
 *     response    {tables: [{name, columns, rows}]}, {feasible, value}, {error: text}, or null if unavailable
 *     coverage    share of the nearest sufficient set that is known after the call, 0 to 1, or null
 *   texts         [text, ...] after the last call
 *   thinking      [{...}, ...] after the last call; may be missing
 *   sufficient_at, determined_at   numbers of calls, or null
 *   risks         [[spent, reference gaps], ...]: what the optimum itself still risked; null if not judged
 *   missing       why there are no responses, or null
 */

const isRejected = (status) => !["executed", "submitted"].includes(status);

function replay(value, { at = 0, ending = null, onMove = () => {} } = {}) {
  const frames = computeFrames(value);
  const last = frames.length - (ending ? 0 : 1);
  const stage = el("div", { class: "stage", "aria-live": "polite" });
  const gauges = el("div", { class: "gauges" });
  const chart = el("div", { class: "progressbox" });
  const calls = callList(value, (index) => go(index));
  const slider = el("input", { type: "range", min: 0, max: last, "aria-label": "Step" });
  const counter = el("output", { class: "counter" });
  const buttons = [["⇤", "First step", () => 0], ["←", "Previous step", (now) => now - 1], ["→", "Next step", (now) => now + 1], ["⇥", "Last step", () => last]]
    .map(([sign, name, to]) => stepButton(sign, name, () => go(to(element.at))));
  const element = el("div", { class: "replay" },
    el("div", { class: "stepper" }, ...buttons, slider, counter),
    gauges, chart, el("div", { class: "replaybody" }, calls, stage));

  function go(index) {
    const now = Math.max(0, Math.min(last, index));
    const frame = frames[Math.min(now, frames.length - 1)];
    Object.assign(element, { at: now });
    slider.value = now;
    counter.textContent = now === 0 ? "Question" : now < frames.length ? `Call ${formatInteger(now)} of ${formatInteger(frames.length - 1)}` : "Decision";
    slider.setAttribute("aria-valuetext", counter.textContent);
    buttons.forEach((button, position) => { button.disabled = position < 2 ? now === 0 : now === last; });
    gauges.replaceChildren(...gaugeViews(value, frame));
    chart.replaceChildren(progressChart(value, { cursor: frame.call, high: 130, wide: Math.min(1000, Math.max(300, innerWidth - 60)) }), progressLegend());
    stage.replaceChildren(...(now === frames.length ? [endingView(value, ending)] : now ? stepView(value, frame) : questionView(value)));
    requestAnimationFrame(() => highlightCall(calls, now)); /* after the element has been added to the page */
    onMove(now);
  }

  slider.addEventListener("input", () => go(Number(slider.value)));
  Object.assign(element, { go });
  go(at);
  return element;
}

function stepByKey(element, event) {
  const to = { ArrowLeft: element.at - 1, ArrowRight: element.at + 1, Home: 0, End: Infinity }[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.target.matches("select, textarea, input:not([type=range])")) return false;
  event.preventDefault();
  element.go(to);
  return true;
}

function stepButton(sign, name, act) {
  const button = el("button", { type: "button", class: "step", "aria-label": name }, sign);
  button.addEventListener("click", act);
  return button;
}

/* -- the state after each step ---------------------------------------------------------------------------------------- */

function computeFrames(value) {
  const seen = new Map();
  let [left, coverage, call] = [value.budget, value.steps.some((step) => step.coverage !== null) ? 0 : null, 0];
  const frames = [{ step: null, left, coverage, gained: 0, call }];
  for (const step of value.steps) {
    left -= step.charged;
    const gained = step.coverage === null || coverage === null ? 0 : step.coverage - coverage;
    coverage = step.coverage ?? coverage;
    call = step.number ?? call;
    frames.push({ step, left, coverage, gained, call, fresh: findNewRows(step.response, seen) });
  }
  return frames;
}

/* By table, whether each row is new. */
function findNewRows(response, seen) {
  return (response?.tables ?? []).map(({ name, rows }) => {
    const known = seen.get(name) ?? seen.set(name, new Set()).get(name);
    return rows.map((row) => known.size < known.add(JSON.stringify(row)).size);
  });
}

function gaugeViews(value, frame) {
  const gained = frame.gained > 0 ? ` (+${formatDecimal(100 * frame.gained, 1)})` : "";
  const spent = value.budget - frame.left;
  return [
    gauge("Information", frame.coverage === null ? "unknown" : `${formatDecimal(100 * frame.coverage, 1)} %${gained}`, frame.coverage, "coverage"),
    gauge("Budget left", `${formatInteger(frame.left)} of ${formatInteger(value.budget)}${frame.step?.charged ? ` (−${formatInteger(frame.step.charged)})` : ""}`, value.budget ? frame.left / value.budget : 0, "budget"),
    gauge("Worst regret of the optimum", riskAt(value, frame.call, spent), null, "risk"),
  ];
}

function gauge(name, text, share, kind) {
  const bar = svgElement("svg", { class: `gaugebar ${kind}`, viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
    svgElement("rect", { width: 100, height: 4, class: "ground" }), svgElement("rect", { width: (100 * (share ?? 0)).toFixed(2), height: 4, class: "filled" }));
  return el("div", { class: "gauge" }, el("span", { class: "name" }, name), el("span", { class: "amount" }, text), share === null ? null : bar);
}

/* Risks are judged after each eighth of the budget and never rise, so the last judged one is an upper bound. */
function riskAt(value, call, spent) {
  if (!value.risks) return "not judged";
  if (value.determined_at !== null && call >= value.determined_at) return "none: determined";
  const judged = value.risks.filter(([at]) => at <= spent).at(-1);
  if (!judged) return "unknown: it may be infeasible";
  return judged[1] === 0 ? "none: determined" : `at most ${formatDecimal(judged[1], judged[1] < 10 ? 2 : 1)} reference gaps`;
}

/* -- views of a step ------------------------------------------------------------------------------------------- */

function questionView(value) {
  if (value.question === null) return [el("p", { class: "note missing" }, value.missing)];
  const rows = value.tools.map(({ name, price, description }) => el("tr", {},
    el("th", { scope: "row", class: "tool" }, el("bdi", {}, name)), el("td", { class: "number" }, price === null ? "free" : formatInteger(price)), el("td", {}, description)));
  return [
    el("h3", {}, "Question"), el("div", { class: "question scroll", tabindex: 0, role: "group", "aria-label": "Question" }, el("bdi", { class: "verbatim" }, value.question)),
    el("h3", {}, "Tools"), table([["Tool"], ["Price", "number"], ["What it reveals"]], rows, "Tools"),
  ];
}

function stepView(value, frame) {
  const { step } = frame;
  return [
    ...(step.thinking ?? []).map(thinkingView),
    ...step.texts.map(quoteText),
    el("p", { class: "call" }, el("bdi", { class: "tool" }, step.tool), " ", argumentsView(step.arguments), " ",
      el("span", { class: `status ${isRejected(step.status) ? "refused" : step.status}` }, words(step.status)), el("span", { class: "turn" }, `turn ${formatInteger(step.turn)}`)),
    ...milestonesAt(value, step).map((text) => el("p", { class: "reached" }, text)),
    ...responseView(value, frame),
  ];
}

function milestonesAt(value, step) {
  return [[value.sufficient_at, "From here on the information was sufficient."], [value.determined_at, "From here on the optimum could be known."]]
    .filter(([at]) => at !== null && at === step.number).map(([, text]) => text);
}

const quoteText = (text) => el("blockquote", { class: "speech" }, expandable(text, 1200));

function argumentsView(text) {
  const fields = parseObject(text);
  if (!fields) return expandable(text, 300);
  return el("span", { class: "given" }, ...Object.entries(fields).map(([name, value]) =>
    el("span", {}, el("bdi", { class: "name" }, name), " ", expandable(formatCell(value), 300))));
}

function parseObject(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function responseView(value, frame) {
  const { response, status } = frame.step;
  if (response?.tables) return response.tables.flatMap((records, index) => recordsView(records, frame.fresh[index]));
  if (response && "feasible" in response) return [el("p", { class: "answer" }, response.feasible ? `Feasible, worth ${formatInteger(response.value)}.` : "Infeasible.")];
  if (response) return [el("p", { class: "answer" }, el("bdi", {}, response.error))];
  if (status === "submitted") return [el("p", { class: "answer" }, "Submitted: the episode ends.")];
  return [el("p", { class: "note missing" }, isRejected(status) ? "Rejected, at no charge." : value.missing ?? "The response is not available.")];
}

function recordsView({ name, columns, rows }, fresh) {
  const numeric = columns.map((_, at) => rows.every((row) => typeof row[at] === "number"));
  const newCount = fresh.filter(Boolean).length;
  const body = rows.map((row, index) => el("tr", { class: fresh[index] ? "fresh" : "known" }, ...row.map((cell, at) =>
    el("td", { class: numeric[at] ? "number" : null }, at === 0 && fresh[index] ? el("span", { class: "unseen" }, "new: ") : null, el("bdi", {}, formatCell(cell))))));
  const counts = `${formatInteger(rows.length)} ${rows.length === 1 ? "row" : "rows"}, ${newCount === rows.length ? "all" : newCount ? formatInteger(newCount) : "none"} new`;
  return [el("h3", {}, toTitle(name), el("span", { class: "note" }, counts)), table(columns.map((column, at) => [words(column), numeric[at] ? "number" : null]), body, toTitle(name))];
}

function formatCell(cell) {
  if (typeof cell === "number") return formatInteger(cell);
  if (Array.isArray(cell)) return cell.map(formatCell).join(", ");
  return cell !== null && typeof cell === "object" ? Object.entries(cell).map(([name, value]) => `${name}: ${formatCell(value)}`).join(", ") : String(cell);
}

function endingView(value, ending) {
  return el("div", { class: "ending" }, ...(value.thinking ?? []).map(thinkingView), ...value.texts.map(quoteText), ending);
}

/* -- the list of calls ------------------------------------------------------------------------------------------------- */

function callList(value, choose) {
  const entry = (index, text, kind, note) => {
    const button = el("button", { type: "button", class: kind, "data-index": index }, el("span", { class: "index" }, index ? formatInteger(index) : ""), el("bdi", {}, text), el("small", {}, note));
    button.addEventListener("click", () => choose(index));
    return el("li", {}, button);
  };
  const steps = value.steps.map((step, at) => entry(at + 1, step.tool, isRejected(step.status) ? "refused" : step.status, isRejected(step.status) ? words(step.status) : argumentsSummary(step.arguments)));
  return el("ol", { class: "calls", tabindex: 0, "aria-label": "Calls" }, entry(0, "Question", "question", ""), ...steps);
}

function argumentsSummary(text) {
  const summary = Object.values(parseObject(text) ?? {}).map(formatCell).join(", ");
  return summary.length > 40 ? `${summary.slice(0, 39)}…` : summary;
}

function highlightCall(calls, index) {
  calls.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const current = calls.querySelector(`[data-index="${index}"]`);
  if (!current) return;
  current.setAttribute("aria-current", "step");
  calls.scrollTop = current.offsetTop - calls.clientHeight / 2;
}
