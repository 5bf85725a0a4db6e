
/* The course of an episode: information and budget over the calls, of a replay's value. */

function course(value, { cursor = null, calls = 0, high = 210, wide = Math.min(780, Math.max(300, innerWidth - 60)) } = {}) {
  const [width, height, left, right, top, bottom] = [wide, high, 44, 14, 20, 30];
  const most = Math.max(1, calls, ...value.steps.map((step) => step.number ?? 0));
  const x = (at) => left + (width - left - right) * (at / most);
  const y = (share) => top + (height - top - bottom) * (1 - share);
  const path = (points) => points.map(([at, share], place) => (place ? `H${x(at).toFixed(1)}V` : `M${x(at)} `) + y(share).toFixed(1)).join("");
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height}`, class: "course", role: "img", "aria-label": courseText(value) });
  for (const share of [0, 0.5, 1]) {
    picture.append(draw("line", { x1: left, x2: width - right, y1: y(share), y2: y(share), class: "grid" }),
      draw("text", { x: left - 7, y: y(share) + 4, class: "end" }, `${100 * share} %`));
  }
  for (const at of new Set([0, Math.round(most / 2), most])) {
    picture.append(draw("text", { x: x(at), y: height - 10, class: at === most ? "end" : at ? "middle" : "" }, at ? whole(at) : "0 calls"));
  }
  picture.append(draw("path", { d: path(burnDown(value)), class: "budget" }), draw("path", { d: path(coverageOf(value)), class: "coverage" }));
  if (value.sufficient_at) picture.append(...courseMark("information sufficient", x(value.sufficient_at), y, value.sufficient_at > most / 2, 6));
  if (value.determined_at) picture.append(...courseMark("optimum determined", x(value.determined_at), y, value.determined_at > most / 2, 21));
  if (cursor !== null) picture.append(draw("line", { x1: x(cursor), x2: x(cursor), y1: y(0), y2: y(1) - 6, class: "cursor" }));
  return picture;
}

const courseKey = () => el("p", { class: "key" }, el("span", { class: "coverage" }, "information gathered"), el("span", { class: "budget" }, "budget left"));

const numbered = (value) => value.steps.filter((step) => step.number !== null);

function burnDown(value) {
  let left = value.budget;
  return [[0, 1], ...numbered(value).map((step) => [step.number, (left -= step.charged) / value.budget])];
}

function coverageOf(value) {
  return [[0, 0], ...numbered(value).filter((step) => step.coverage !== null).map((step) => [step.number, step.coverage])];
}

function courseMark(title, at, y, leftward, above) {
  return [draw("line", { x1: at, x2: at, y1: y(0), y2: y(1), class: "sufficient" }),
    draw("text", { x: at + (leftward ? -6 : 6), y: y(0) - above, class: leftward ? "end sufficient" : "sufficient" }, title)];
}

function courseText(value) {
  const known = value.steps.reduce((most, step) => Math.max(most, step.coverage ?? 0), 0);
  const spent = value.steps.reduce((sum, step) => sum + step.charged, 0);
  const sufficient = value.sufficient_at ? `sufficient after call ${value.sufficient_at}` : "never sufficient";
  return `Information reached ${fixed(100 * known, 1)} percent, ${sufficient}; ${spent} of ${value.budget} spent.`;
}
