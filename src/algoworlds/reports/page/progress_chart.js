
/* The progress chart: information gathered and budget left over the calls of a replay value. */

function progressChart(value, { cursor = null, calls = 0, high = 210, wide = Math.min(780, Math.max(300, innerWidth - 60)) } = {}) {
  const [width, height, left, right, top, bottom] = [wide, high, 44, 14, 20, 30];
  const lastCall = Math.max(1, calls, ...value.steps.map((step) => step.number ?? 0));
  const x = (at) => left + (width - left - right) * (at / lastCall);
  const y = (share) => top + (height - top - bottom) * (1 - share);
  const path = (points) => points.map(([at, share], index) => (index ? `H${x(at).toFixed(1)}V` : `M${x(at)} `) + y(share).toFixed(1)).join("");
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, class: "progress", role: "img", "aria-label": progressText(value) });
  for (const share of [0, 0.5, 1]) {
    svg.append(svgElement("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), class: "grid" }),
      svgElement("text", { x: left - 7, y: y(share) + 4, class: "end" }, `${100 * share} %`));
  }
  for (const at of new Set([0, Math.round(lastCall / 2), lastCall])) {
    svg.append(svgElement("text", { x: x(at), y: height - 10, class: at === lastCall ? "end" : at ? "middle" : "" }, at ? formatInteger(at) : "0 calls"));
  }
  svg.append(svgElement("path", { d: path(budgetPoints(value)), class: "budget" }), svgElement("path", { d: path(coveragePoints(value)), class: "coverage" }));
  if (value.sufficient_at) svg.append(...chartMark("information sufficient", x(value.sufficient_at), y, value.sufficient_at > lastCall / 2, 6));
  if (value.determined_at) svg.append(...chartMark("optimum determined", x(value.determined_at), y, value.determined_at > lastCall / 2, 21));
  if (cursor !== null) svg.append(svgElement("line", { x1: x(cursor), x2: x(cursor), y1: y(0), y2: y(1) - 6, class: "cursor" }));
  return svg;
}

const progressLegend = () => el("p", { class: "key" }, el("span", { class: "coverage" }, "information gathered"), el("span", { class: "budget" }, "budget left"));

const numberedSteps = (value) => value.steps.filter((step) => step.number !== null);

function budgetPoints(value) {
  let left = value.budget;
  return [[0, 1], ...numberedSteps(value).map((step) => [step.number, (left -= step.charged) / value.budget])];
}

function coveragePoints(value) {
  return [[0, 0], ...numberedSteps(value).filter((step) => step.coverage !== null).map((step) => [step.number, step.coverage])];
}

function chartMark(title, at, y, leftward, above) {
  return [svgElement("line", { x1: at, x2: at, y1: y(0), y2: y(1), class: "sufficient" }),
    svgElement("text", { x: at + (leftward ? -6 : 6), y: y(0) - above, class: leftward ? "end sufficient" : "sufficient" }, title)];
}

function progressText(value) {
  const known = value.steps.reduce((highest, step) => Math.max(highest, step.coverage ?? 0), 0);
  const spent = value.steps.reduce((sum, step) => sum + step.charged, 0);
  const sufficient = value.sufficient_at ? `sufficient after call ${value.sufficient_at}` : "never sufficient";
  return `Information reached ${formatDecimal(100 * known, 1)} percent, ${sufficient}; ${spent} of ${value.budget} spent.`;
}
