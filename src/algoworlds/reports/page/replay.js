
/* A replay: one episode, step by step, with what is known, left and risked at each.
 *
 * `replay(value, {at, ending, moved})` gives an element. `at` is the step to begin with, `ending` an element that is shown behind
 * the last step (decision against optimum, say), `moved` is told the number of the step whenever it changes. `stepByKey(element, event)`
 * moves by the arrow keys, Home and End, and says whether it did. Step 0 is the question, steps 1 to n are the calls, n + 1 is the end.
 *
 * `value` is plain JSON:
 *   question      text; null where it is not there
 *   tools         [{name, price (null: free), description}]
 *   budget        a whole number
 *   steps         one a call: {turn, number, tool, arguments, status, charged, said, response, coverage}
 *     number      its number among the calls that reached the world, null if it did not
 *     arguments   as the caller gave them: text
 *     said        [text, ...] that came with the call
 *     response    {tables: [{name, columns, rows}]}, {feasible, value}, {error: text}, or null where it is not there
 *     coverage    share of the nearest sufficient set that is known after it, 0 to 1; null: nobody says
 *   said          [text, ...] after the last call
 *   sufficient_at, determined_at   numbers of calls, or null
 *   risks         [[spent, reference gaps], ...]: what the optimum itself still risked; null: not judged
 *   missing       why there are no responses; null if there are
 */

const REFUSED = (status) => !["executed", "submitted"].includes(status);

function replay(value, { at = 0, ending = null, moved = () => {} } = {}) {
  const frames = framesOf(value);
  const last = frames.length - (ending ? 0 : 1);
  const stage = el("div", { class: "stage", "aria-live": "polite" });
  const gauges = el("div", { class: "gauges" });
  const chart = el("div", { class: "coursebox" });
  const calls = callList(value, (place) => go(place));
  const slider = el("input", { type: "range", min: 0, max: last, "aria-label": "Step" });
  const counter = el("output", { class: "counter" });
  const buttons = [["⇤", "First step", () => 0], ["←", "Previous step", (now) => now - 1], ["→", "Next step", (now) => now + 1], ["⇥", "Last step", () => last]]
    .map(([sign, name, to]) => stepButton(sign, name, () => go(to(made.at))));
  const made = el("div", { class: "replay" },
    el("div", { class: "stepper" }, ...buttons, slider, counter),
    gauges, chart, el("div", { class: "scene" }, calls, stage));

  function go(place) {
    const now = Math.max(0, Math.min(last, place));
    const frame = frames[Math.min(now, frames.length - 1)];
    Object.assign(made, { at: now });
    slider.value = now;
    counter.textContent = now === 0 ? "Question" : now < frames.length ? `Call ${whole(now)} of ${whole(frames.length - 1)}` : "Decision";
    slider.setAttribute("aria-valuetext", counter.textContent);
    buttons.forEach((button, each) => { button.disabled = each < 2 ? now === 0 : now === last; });
    gauges.replaceChildren(...gaugesOf(value, frame));
    chart.replaceChildren(course(value, { cursor: frame.place, high: 130, wide: Math.min(1000, Math.max(300, innerWidth - 60)) }), courseKey());
    stage.replaceChildren(...(now === frames.length ? [endingOf(value, ending)] : now ? stepView(value, frame) : questionView(value)));
    requestAnimationFrame(() => markCall(calls, now)); /* it may not be on the page yet */
    moved(now);
  }

  slider.addEventListener("input", () => go(Number(slider.value)));
  Object.assign(made, { go });
  go(at);
  return made;
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

/* -- what holds after each step ---------------------------------------------------------------------------------------- */

function framesOf(value) {
  const seen = new Map();
  let [left, coverage, place] = [value.budget, value.steps.some((step) => step.coverage !== null) ? 0 : null, 0];
  const frames = [{ step: null, left, coverage, gained: 0, place }];
  for (const step of value.steps) {
    left -= step.charged;
    const gained = step.coverage === null || coverage === null ? 0 : step.coverage - coverage;
    coverage = step.coverage ?? coverage;
    place = step.number ?? place;
    frames.push({ step, left, coverage, gained, place, fresh: freshRows(step.response, seen) });
  }
  return frames;
}

/* By table, which rows had not been shown before. */
function freshRows(response, seen) {
  return (response?.tables ?? []).map(({ name, rows }) => {
    const known = seen.get(name) ?? seen.set(name, new Set()).get(name);
    return rows.map((row) => known.size < known.add(JSON.stringify(row)).size);
  });
}

function gaugesOf(value, frame) {
  const gained = frame.gained > 0 ? ` (+${fixed(100 * frame.gained, 1)})` : "";
  const spent = value.budget - frame.left;
  return [
    gauge("Information", frame.coverage === null ? "not told" : `${fixed(100 * frame.coverage, 1)} %${gained}`, frame.coverage, "coverage"),
    gauge("Budget left", `${whole(frame.left)} of ${whole(value.budget)}${frame.step?.charged ? ` (−${whole(frame.step.charged)})` : ""}`, value.budget ? frame.left / value.budget : 0, "budget"),
    gauge("Worst regret of the optimum", riskAt(value, frame.place, spent), null, "risk"),
  ];
}

function gauge(name, text, share, kind) {
  const bar = draw("svg", { class: `gaugebar ${kind}`, viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
    draw("rect", { width: 100, height: 4, class: "ground" }), draw("rect", { width: (100 * (share ?? 0)).toFixed(2), height: 4, class: "filled" }));
  return el("div", { class: "gauge" }, el("span", { class: "name" }, name), el("span", { class: "amount" }, text), share === null ? null : bar);
}

/* Risks are judged after each eighth of the budget and never rise: what was last judged is a bound from above. */
function riskAt(value, place, spent) {
  if (!value.risks) return "not judged";
  if (value.determined_at !== null && place >= value.determined_at) return "none: determined";
  const told = value.risks.filter(([at]) => at <= spent).at(-1);
  if (!told) return "unknown: it may be infeasible";
  return told[1] === 0 ? "none: determined" : `at most ${fixed(told[1], told[1] < 10 ? 2 : 1)} reference gaps`;
}

/* -- what is shown of a step ------------------------------------------------------------------------------------------- */

function questionView(value) {
  if (value.question === null) return [el("p", { class: "note missing" }, value.missing)];
  const rows = value.tools.map(({ name, price, description }) => el("tr", {},
    el("th", { scope: "row", class: "tool" }, el("bdi", {}, name)), el("td", { class: "number" }, price === null ? "free" : whole(price)), el("td", {}, description)));
  return [
    el("h3", {}, "Question"), el("div", { class: "question scroll", tabindex: 0, role: "group", "aria-label": "Question" }, el("bdi", { class: "verbatim" }, value.question)),
    el("h3", {}, "Tools"), table([["Tool"], ["Price", "number"], ["What it tells"]], rows, "Tools"),
  ];
}

function stepView(value, frame) {
  const { step } = frame;
  return [
    ...step.said.map(speech),
    el("p", { class: "call" }, el("bdi", { class: "tool" }, step.tool), " ", argumentsOf(step.arguments), " ",
      el("span", { class: `status ${REFUSED(step.status) ? "refused" : step.status}` }, words(step.status)), el("span", { class: "turn" }, `turn ${whole(step.turn)}`)),
    ...milestonesAt(value, step).map((text) => el("p", { class: "reached" }, text)),
    ...responseView(value, frame),
  ];
}

function milestonesAt(value, step) {
  return [[value.sufficient_at, "From here on the information was sufficient."], [value.determined_at, "From here on the optimum could be known."]]
    .filter(([at]) => at !== null && at === step.number).map(([, text]) => text);
}

const speech = (text) => el("blockquote", { class: "speech" }, clipped(text, 1200));

function argumentsOf(text) {
  const given = objectOf(text);
  if (!given) return clipped(text, 300);
  return el("span", { class: "given" }, ...Object.entries(given).map(([name, each]) =>
    el("span", {}, el("bdi", { class: "name" }, name), " ", clipped(spelled(each), 300))));
}

function objectOf(text) {
  try {
    const found = JSON.parse(text);
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}

function responseView(value, frame) {
  const { response, status } = frame.step;
  if (response?.tables) return response.tables.flatMap((each, place) => recordsView(each, frame.fresh[place]));
  if (response && "feasible" in response) return [el("p", { class: "answer" }, response.feasible ? `Feasible, worth ${whole(response.value)}.` : "Infeasible.")];
  if (response) return [el("p", { class: "answer" }, el("bdi", {}, response.error))];
  if (status === "submitted") return [el("p", { class: "answer" }, "Submitted: the episode ends.")];
  return [el("p", { class: "note missing" }, REFUSED(status) ? "Refused, and free." : value.missing ?? "What it told is not kept.")];
}

function recordsView({ name, columns, rows }, fresh) {
  const numeric = columns.map((_, at) => rows.every((row) => typeof row[at] === "number"));
  const news = fresh.filter(Boolean).length;
  const body = rows.map((row, place) => el("tr", { class: fresh[place] ? "fresh" : "known" }, ...row.map((cell, at) =>
    el("td", { class: numeric[at] ? "number" : null }, at === 0 && fresh[place] ? el("span", { class: "unseen" }, "new: ") : null, el("bdi", {}, spelled(cell))))));
  const told = `${whole(rows.length)} ${rows.length === 1 ? "row" : "rows"}, ${news === rows.length ? "all" : news ? whole(news) : "none"} new`;
  return [el("h3", {}, titled(name), el("span", { class: "note" }, told)), table(columns.map((each, at) => [words(each), numeric[at] ? "number" : null]), body, titled(name))];
}

function spelled(cell) {
  if (typeof cell === "number") return whole(cell);
  if (Array.isArray(cell)) return cell.map(spelled).join(", ");
  return cell !== null && typeof cell === "object" ? Object.entries(cell).map(([name, each]) => `${name}: ${spelled(each)}`).join(", ") : String(cell);
}

function endingOf(value, ending) {
  return el("div", { class: "ending" }, ...value.said.map(speech), ending);
}

/* -- the list of calls ------------------------------------------------------------------------------------------------- */

function callList(value, choose) {
  const entry = (place, text, kind, note) => {
    const button = el("button", { type: "button", class: kind, "data-place": place }, el("span", { class: "place" }, place ? whole(place) : ""), el("bdi", {}, text), el("small", {}, note));
    button.addEventListener("click", () => choose(place));
    return el("li", {}, button);
  };
  const steps = value.steps.map((step, at) => entry(at + 1, step.tool, REFUSED(step.status) ? "refused" : step.status, REFUSED(step.status) ? words(step.status) : shortArguments(step.arguments)));
  return el("ol", { class: "calls", tabindex: 0, "aria-label": "Calls" }, entry(0, "Question", "question", ""), ...steps);
}

function shortArguments(text) {
  const told = Object.values(objectOf(text) ?? {}).map(spelled).join(", ");
  return told.length > 40 ? `${told.slice(0, 39)}…` : told;
}

function markCall(calls, place) {
  calls.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const chosen = calls.querySelector(`[data-place="${place}"]`);
  if (!chosen) return;
  chosen.setAttribute("aria-current", "step");
  calls.scrollTop = chosen.offsetTop - calls.clientHeight / 2;
}
