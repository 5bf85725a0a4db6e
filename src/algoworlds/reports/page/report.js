/* The list of evaluations: filters kept in the address, so that every number can link to its evaluations. */

const PAGE = 50;
const CATEGORIES = {
  optimal: "Globally optimal",
  suboptimal: "Feasible suboptimal",
  infeasible: "Infeasible",
  no_decision: "No decision",
  protocol_violation: "Protocol violation",
};
const FIELD_NAMES = {
  exact: "exactly optimal", feasible: "feasible", call_cap: "reached the call cap", budget_cap: "reached the budget cap",
  sufficiency: "sufficient information", knowledge: "the optimum was", footing: "decision", claim: "claimed", index: "instance", world: "world", category: "outcome", quality: "against the reference", solved: "trials that solved the world",
};
const FLAGS = new Set(["exact", "feasible", "call_cap", "budget_cap"]);

/* -- the index: one object per evaluation ------------------------------------------------------------------------------- */

const INDEX = JSON.parse($("index").content.textContent);

function readIndex({ count, texts, numbers }) {
  const rows = Array.from({ length: count }, (_, at) => ({ at }));
  for (const [name, { values, at }] of Object.entries(texts)) rows.forEach((row) => { row[name] = values[at[row.at]]; });
  for (const [name, values] of Object.entries(numbers)) rows.forEach((row) => { row[name] = values[row.at]; });
  const seen = new Map();
  for (const row of rows) {
    row.position = seen.get(row.world) ?? 0; /* among the evaluations of its world */
    seen.set(row.world, row.position + 1);
    row.title = INDEX.titles[row.family];
    row.key = `${row.configuration}/${row.world}/${row.trial}`;
    row.text = [row.key, row.title, row.interface, CATEGORIES[row.category], words(row.stop_reason), row.reason].join(" ").toLowerCase();
  }
  return rows;
}

const ROWS = readIndex(INDEX);
const BY_KEY = new Map(ROWS.map((row) => [row.key, row]));

/* -- state: stored in the address ----------------------------------------------------------------------------- */

const state = { filters: new Map(), query: "", evaluation: null, step: null, others: [], page: 0, sort: { name: null, down: false } };
const FILTERABLE = new Set(Object.keys(ROWS[0] ?? {}).filter((name) => !["at", "position", "text", "key", "title"].includes(name)));

function readAddress() {
  const address = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  state.filters = new Map();
  for (const [name, value] of address) {
    if (FILTERABLE.has(name)) state.filters.set(name, (state.filters.get(name) ?? new Set()).add(value));
  }
  state.query = address.get("q") ?? "";
  state.evaluation = address.get("evaluation");
  state.step = /^\d+$/.test(address.get("step") ?? "") ? Number(address.get("step")) : null;
  state.others = address.getAll("with");
}

/* `view` selects a view of the evaluation: {step: number} for its replay, {with: [key, ...]} for a comparison. */
function addressOf(evaluation = null, view = {}) {
  const parts = [];
  for (const [name, values] of state.filters) for (const value of values) parts.push([name, value]);
  if (state.query) parts.push(["q", state.query]);
  if (evaluation) parts.push(["evaluation", evaluation], ...Object.entries(view).flatMap(([name, values]) => [values].flat().map((value) => [name, value])));
  return parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

function replaceAddress(evaluation = null, view = {}) {
  history.replaceState(null, "", `#${addressOf(evaluation, view) || "evaluations"}`);
}

/* -- filtering and sorting --------------------------------------------------------------------------------------------- */

/* A function that tells whether a row matches the filters (but `except`) and the search. */
function matcher(except = null) {
  const filters = [...state.filters].filter(([name]) => name !== except);
  const searchWords = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) => filters.every(([name, values]) => values.has(String(row[name]))) && searchWords.every((word) => row.text.includes(word));
}

const COLUMNS = [
  ["configuration", "Configuration", (row) => el("bdi", {}, row.configuration), (row) => row.configuration],
  ["world", "World", (row) => `${row.title} ${row.level}-${row.index}`, (row) => row.at],
  ["interface", "Interface", (row) => toTitle(row.interface), (row) => row.interface],
  ["trial", "Trial", (row) => String(row.trial), (row) => row.trial],
  ["category", "Outcome", (row) => categoryMark(row.category), (row) => Object.keys(CATEGORIES).indexOf(row.category)],
  ["utility", "Utility", (row) => formatDecimal(row.utility, 1), (row) => row.utility],
  ["coverage", "Coverage", (row) => `${formatDecimal(100 * row.coverage, 1)} %`, (row) => row.coverage],
  ["executed_calls", "Calls", (row) => formatInteger(row.executed_calls), (row) => row.executed_calls],
  ["spend", "Spend / budget", (row) => `${formatInteger(row.spend)} / ${formatInteger(row.budget)}`, (row) => row.spend / row.budget],
  ["stop_reason", "Ended by", (row) => words(row.stop_reason), (row) => row.stop_reason],
];
const NUMERIC = new Set(["trial", "utility", "coverage", "executed_calls", "spend"]);

function categoryMark(category) {
  return el("span", { class: `mark ${category}` }, CATEGORIES[category]);
}

const compareValues = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

function sortedRows() {
  const rows = ROWS.filter(matcher());
  const column = COLUMNS.find(([name]) => name === state.sort.name);
  if (column) rows.sort((one, other) => (state.sort.down ? -1 : 1) * compareValues(column[3](one), column[3](other)) || one.at - other.at);
  return rows;
}

/* -- drawing the list -------------------------------------------------------------------------------------------------- */

let listedRows = [];

function drawList() {
  listedRows = sortedRows();
  state.page = Math.min(state.page, Math.max(0, Math.ceil(listedRows.length / PAGE) - 1));
  const rows = listedRows.slice(state.page * PAGE, (state.page + 1) * PAGE);
  $("list").tHead.replaceChildren(el("tr", {}, ...COLUMNS.map(listHead)));
  $("list").tBodies[0].replaceChildren(...(rows.length ? rows.map(listRow) : [emptyRow()]));
  $("match-count").textContent = listedRows.length === ROWS.length
    ? `All ${formatInteger(ROWS.length)} ${ROWS.length === 1 ? "evaluation" : "evaluations"}`
    : `${formatInteger(listedRows.length)} of ${formatInteger(ROWS.length)} evaluations`;
  $("clear").hidden = !state.filters.size && !state.query;
  drawPager();
  drawControls();
}

function listHead([name, title]) {
  const sorted = state.sort.name === name;
  const button = el("button", { type: "button" }, title);
  button.addEventListener("click", () => {
    state.sort = { name, down: sorted ? !state.sort.down : NUMERIC.has(name) };
    drawList();
    $("list").querySelector(`th[data-name="${name}"] button`).focus();
  });
  const order = sorted ? (state.sort.down ? "descending" : "ascending") : "none";
  return el("th", { scope: "col", "data-name": name, "aria-sort": order, class: NUMERIC.has(name) ? "number" : null }, button);
}

function listRow(row) {
  const link = el("a", { href: `#${addressOf(row.key)}` }, `${row.title} ${row.level}-${row.index}`);
  return el("tr", {}, ...COLUMNS.map(([name, title, show]) =>
    el("td", { "data-label": title, class: `${name}${NUMERIC.has(name) ? " number" : ""}` }, name === "world" ? link : show(row))));
}

function emptyRow() {
  return el("tr", { class: "empty" }, el("td", { colspan: COLUMNS.length }, "No evaluation matches these filters. Remove one of them, or clear them all."));
}

function drawPager() {
  const pages = Math.ceil(listedRows.length / PAGE);
  const first = state.page * PAGE + 1;
  const turn = (label, to) => {
    const button = el("button", { type: "button", disabled: to < 0 || to >= pages }, label);
    button.addEventListener("click", () => { state.page = to; drawList(); $("match-count").scrollIntoView({ block: "start" }); });
    return button;
  };
  $("pager").hidden = pages < 2;
  $("pager").replaceChildren(
    turn("First", 0), turn("Previous", state.page - 1),
    el("span", {}, `${formatInteger(first)}–${formatInteger(Math.min(first + PAGE - 1, listedRows.length))}`),
    turn("Next", state.page + 1), turn("Last", pages - 1),
  );
}

/* -- controls ---------------------------------------------------------------------------------------------------------- */

const OPTION_LABELS = {
  family: (value) => INDEX.titles[value],
  interface: toTitle,
  stop_reason: toTitle,
  sufficiency: (value) => (value === "1" ? "Sufficient" : "Insufficient"),
};

function fillControls() {
  for (const select of $("filters").querySelectorAll("select")) {
    const values = [...new Set(ROWS.map((row) => String(row[select.name])))];
    if (["level", "trial"].includes(select.name)) values.sort((one, other) => one - other);
    const name = OPTION_LABELS[select.name] ?? String;
    select.append(el("option", { value: "" }, "All"), ...values.map((value) => el("option", { value }, name(value))));
    select.addEventListener("change", () => setFilter(select.name, select.value ? [select.value] : []));
  }
  const search = $("filters").elements.q;
  search.addEventListener("input", () => { state.query = search.value.trim(); filtersChanged(); });
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("clear").addEventListener("click", () => { state.filters.clear(); state.query = ""; filtersChanged(); });
  for (const category of Object.keys(CATEGORIES)) {
    const button = el("button", { type: "button", "data-category": category });
    button.addEventListener("click", () => toggleCategory(category));
    $("categories").append(button);
  }
}

function toggleCategory(category) {
  const values = new Set(state.filters.get("category"));
  if (!values.delete(category)) values.add(category);
  setFilter("category", [...values]);
}

function setFilter(name, values) {
  if (values.length) state.filters.set(name, new Set(values));
  else state.filters.delete(name);
  filtersChanged();
}

function filtersChanged() {
  state.page = 0;
  replaceAddress();
  drawList();
}

function drawControls() {
  const form = $("filters");
  const withControl = new Set(["category"]);
  for (const select of form.querySelectorAll("select")) {
    withControl.add(select.name);
    select.value = [...(state.filters.get(select.name) ?? [""])][0];
  }
  if (form.elements.q.value.trim() !== state.query) form.elements.q.value = state.query;
  drawCategories();
  const others = [...state.filters].filter(([name]) => !withControl.has(name));
  $("tokens").replaceChildren(...others.map(([name, values]) => filterButton(name, [...values])));
}

function drawCategories() {
  const counts = {};
  const matches = matcher("category");
  for (const row of ROWS) if (matches(row)) counts[row.category] = (counts[row.category] ?? 0) + 1;
  for (const button of $("categories").querySelectorAll("button")) {
    const category = button.dataset.category;
    button.setAttribute("aria-pressed", String(state.filters.get("category")?.has(category) ?? false));
    button.replaceChildren(categoryMark(category), el("span", { class: "count" }, formatInteger(counts[category] ?? 0)));
  }
}

function filterButton(name, values) {
  const text = values.map((value) => (FLAGS.has(name) ? { 1: "yes", 0: "no" }[value] : value)).join(" or ");
  const button = el("button", { type: "button", class: "token", title: "Remove this filter" }, `${FIELD_NAMES[name] ?? words(name)}: ${text} ✕`);
  button.addEventListener("click", () => setFilter(name, []));
  return button;
}
