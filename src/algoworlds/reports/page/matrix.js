
/* The matrix of the landing view: one row per configuration, one cell per world, one slice of a cell per trial, coloured by outcome. */

const outcomeColour = (row) => `var(--${row.category})`;

function drawMatrix() {
  const worlds = INDEX.texts.world.values;
  const cellsByConfiguration = new Map(INDEX.texts.configuration.values.map((name) => [name, new Map()]));
  for (const row of ROWS) {
    const cells = cellsByConfiguration.get(row.configuration);
    cells.set(row.world, [...(cells.get(row.world) ?? []), row]);
  }
  const groups = familyGroups(worlds, cellsByConfiguration.values().next().value);
  const body = $("matrix");
  body.style.setProperty("--worlds", worlds.length);
  body.style.setProperty("--families", groups.size);
  body.replaceChildren(matrixHead(groups), ...[...cellsByConfiguration].map(([name, cells]) => matrixRow(name, groups, cells)));
  body.addEventListener("keydown", moveInMatrix);
  body.addEventListener("click", openTrial);
  for (const event of ["pointerover", "focusin"]) body.addEventListener(event, (pointed) => describeCell(pointed.target));
  body.querySelector("a.cell").tabIndex = 0;
}

function familyGroups(worlds, cells) {
  const groups = new Map();
  for (const world of worlds) {
    const { family } = cells.get(world)[0];
    groups.set(family, [...(groups.get(family) ?? []), world]);
  }
  return groups;
}

function matrixHead(groups) {
  return el("div", { class: "matrixrow heads", "aria-hidden": "true" }, el("span", { class: "who" }, ""),
    ...[...groups].map(([family, worlds]) => setGrow(el("span", { class: "family" }, INDEX.titles[family]), worlds.length)), el("span", { class: "rate" }, "optimal"));
}

function matrixRow(name, groups, cells) {
  const rows = [...cells.values()].flat();
  const rate = rows.filter((row) => row.exact).length / rows.length;
  return el("div", { class: `matrixrow${INDEX.scripted.includes(name) ? " scripted" : ""}`, role: "group", "aria-label": `${name}: ${formatDecimal(100 * rate, 1)} percent optimal` },
    el("bdi", { class: "who" }, name),
    ...[...groups.values()].map((worlds) => setGrow(el("span", { class: "family" }, ...worlds.map((world) => matrixCell(cells.get(world)))), worlds.length)),
    el("span", { class: "rate" }, `${formatDecimal(100 * rate, 1)} %`));
}

function setGrow(element, worlds) {
  element.style.flexGrow = worlds;
  return element;
}

function matrixCell(trials) {
  const label = `${trials[0].title} ${trials[0].level}-${trials[0].index} ${toTitle(trials[0].interface)}: ${trials.map((row) => CATEGORIES[row.category].toLowerCase()).join(", ")}`;
  const cell = el("a", { class: "cell", href: `#evaluation=${encodeURIComponent(trials[0].key)}`, tabindex: -1, "aria-label": label });
  const stops = trials.map((row, at) => `${outcomeColour(row)} ${(100 * at) / trials.length}% ${(100 * (at + 1)) / trials.length}%`);
  cell.style.background = trials.every((row) => row.category === trials[0].category) ? outcomeColour(trials[0]) : `linear-gradient(${stops.join(",")})`;
  return Object.assign(cell, { trials });
}

/* A click opens the trial whose slice it hits. */
function openTrial(event) {
  const { trials } = event.target;
  if (!trials || !event.detail) return;
  event.preventDefault();
  const slice = Math.floor((trials.length * event.offsetY) / event.target.clientHeight);
  location.hash = addressOf(trials[Math.max(0, Math.min(trials.length - 1, slice))].key);
}

function describeCell(cell) {
  if (cell.trials) $("matrix-description").textContent = `${cell.trials[0].configuration}, ${cell.getAttribute("aria-label")}`;
}

function moveInMatrix(event) {
  const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] ?? [0, 0];
  if (!event.target.trials || (!down && !right)) return;
  event.preventDefault();
  const lines = [...$("matrix").querySelectorAll(".matrixrow:not(.heads)")].map((line) => [...line.querySelectorAll("a.cell")]);
  const line = lines.findIndex((cells) => cells.includes(event.target));
  const next = lines[line + down]?.[lines[line].indexOf(event.target) + right];
  if (!next) return;
  Object.assign(event.target, { tabIndex: -1 });
  Object.assign(next, { tabIndex: 0 });
  next.focus();
}
