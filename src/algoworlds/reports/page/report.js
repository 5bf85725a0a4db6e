/* The list of evaluations: filters kept in the address, so that every number can link to what is behind it. */

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

/* -- the index: one object an evaluation ------------------------------------------------------------------------------- */

const INDEX = JSON.parse($("index").content.textContent);

function readIndex({ count, named, counted }) {
  const rows = Array.from({ length: count }, (_, at) => ({ at }));
  for (const [name, { values, at }] of Object.entries(named)) rows.forEach((row) => { row[name] = values[at[row.at]]; });
  for (const [name, values] of Object.entries(counted)) rows.forEach((row) => { row[name] = values[row.at]; });
  const seen = new Map();
  for (const row of rows) {
    row.place = seen.get(row.world) ?? 0; /* among the evaluations of its world */
    seen.set(row.world, row.place + 1);
    row.title = INDEX.titles[row.family];
    row.key = `${row.configuration}/${row.world}/${row.trial}`;
    row.text = [row.key, row.title, row.interface, CATEGORIES[row.category], words(row.stop_reason), row.reason].join(" ").toLowerCase();
  }
  return rows;
}

const ROWS = readIndex(INDEX);
const BY_KEY = new Map(ROWS.map((row) => [row.key, row]));

/* -- state: the address says what is shown ----------------------------------------------------------------------------- */

const state = { filters: new Map(), query: "", evaluation: null, step: null, other: null, page: 0, sort: { name: null, down: false } };
const FILTERABLE = new Set(Object.keys(ROWS[0] ?? {}).filter((name) => !["at", "place", "text", "key", "title"].includes(name)));

function readAddress() {
  const address = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  state.filters = new Map();
  for (const [name, value] of address) {
    if (FILTERABLE.has(name)) state.filters.set(name, (state.filters.get(name) ?? new Set()).add(value));
  }
  state.query = address.get("q") ?? "";
  state.evaluation = address.get("evaluation");
  state.step = /^\d+$/.test(address.get("step") ?? "") ? Number(address.get("step")) : null;
  state.other = address.get("with");
}

/* `view` adds what is shown of an evaluation: {step: number} in a replay, {with: key} beside another one. */
function addressOf(evaluation = null, view = {}) {
  const parts = [];
  for (const [name, values] of state.filters) for (const value of values) parts.push([name, value]);
  if (state.query) parts.push(["q", state.query]);
  if (evaluation) parts.push(["evaluation", evaluation], ...Object.entries(view));
  return parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

function keepAddress(evaluation = null, view = {}) {
  history.replaceState(null, "", `#${addressOf(evaluation, view) || "evaluations"}`);
}

/* -- filtering and sorting --------------------------------------------------------------------------------------------- */

/* Whether a row is asked for, as filters and search stand now. */
function matcher(except = null) {
  const filters = [...state.filters].filter(([name]) => name !== except);
  const sought = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) => filters.every(([name, values]) => values.has(String(row[name]))) && sought.every((word) => row.text.includes(word));
}

const COLUMNS = [
  ["configuration", "Configuration", (row) => el("bdi", {}, row.configuration), (row) => row.configuration],
  ["world", "World", (row) => `${row.title} ${row.level}-${row.index}`, (row) => row.at],
  ["interface", "Interface", (row) => titled(row.interface), (row) => row.interface],
  ["trial", "Trial", (row) => String(row.trial), (row) => row.trial],
  ["category", "Outcome", (row) => mark(row.category), (row) => Object.keys(CATEGORIES).indexOf(row.category)],
  ["utility", "Utility", (row) => fixed(row.utility, 1), (row) => row.utility],
  ["coverage", "Coverage", (row) => `${fixed(100 * row.coverage, 1)} %`, (row) => row.coverage],
  ["executed_calls", "Calls", (row) => whole(row.executed_calls), (row) => row.executed_calls],
  ["spend", "Spend / budget", (row) => `${whole(row.spend)} / ${whole(row.budget)}`, (row) => row.spend / row.budget],
  ["stop_reason", "Ended by", (row) => words(row.stop_reason), (row) => row.stop_reason],
];
const NUMERIC = new Set(["trial", "utility", "coverage", "executed_calls", "spend"]);

function mark(category) {
  return el("span", { class: `mark ${category}` }, CATEGORIES[category]);
}

const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

function listed() {
  const found = ROWS.filter(matcher());
  const column = COLUMNS.find(([name]) => name === state.sort.name);
  if (column) found.sort((one, other) => (state.sort.down ? -1 : 1) * compare(column[3](one), column[3](other)) || one.at - other.at);
  return found;
}

/* -- drawing the list -------------------------------------------------------------------------------------------------- */

let shown = [];

function drawList() {
  shown = listed();
  state.page = Math.min(state.page, Math.max(0, Math.ceil(shown.length / PAGE) - 1));
  const rows = shown.slice(state.page * PAGE, (state.page + 1) * PAGE);
  $("list").tHead.replaceChildren(el("tr", {}, ...COLUMNS.map(listHead)));
  $("list").tBodies[0].replaceChildren(...(rows.length ? rows.map(listRow) : [emptyRow()]));
  $("found").textContent = shown.length === ROWS.length
    ? `All ${whole(ROWS.length)} evaluations`
    : `${whole(shown.length)} of ${whole(ROWS.length)} evaluations`;
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
  return el("tr", { class: "empty" }, el("td", { colspan: COLUMNS.length }, "No evaluation matches these filters. Take one of them away, or clear them all."));
}

function drawPager() {
  const pages = Math.ceil(shown.length / PAGE);
  const first = state.page * PAGE + 1;
  const turn = (label, to) => {
    const button = el("button", { type: "button", disabled: to < 0 || to >= pages }, label);
    button.addEventListener("click", () => { state.page = to; drawList(); $("found").scrollIntoView({ block: "start" }); });
    return button;
  };
  $("pager").hidden = pages < 2;
  $("pager").replaceChildren(
    turn("First", 0), turn("Previous", state.page - 1),
    el("span", {}, `${whole(first)}–${whole(Math.min(first + PAGE - 1, shown.length))}`),
    turn("Next", state.page + 1), turn("Last", pages - 1),
  );
}

/* -- controls ---------------------------------------------------------------------------------------------------------- */

const SHOWN_VALUES = {
  family: (value) => INDEX.titles[value],
  interface: titled,
  stop_reason: titled,
  sufficiency: (value) => (value === "1" ? "Sufficient" : "Insufficient"),
};

function fillControls() {
  for (const select of $("filters").querySelectorAll("select")) {
    const values = [...new Set(ROWS.map((row) => String(row[select.name])))];
    if (["level", "trial"].includes(select.name)) values.sort((one, other) => one - other);
    const name = SHOWN_VALUES[select.name] ?? String;
    select.append(el("option", { value: "" }, "All"), ...values.map((value) => el("option", { value }, name(value))));
    select.addEventListener("change", () => narrow(select.name, select.value ? [select.value] : []));
  }
  const search = $("filters").elements.q;
  search.addEventListener("input", () => { state.query = search.value.trim(); changed(); });
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("clear").addEventListener("click", () => { state.filters.clear(); state.query = ""; changed(); });
  for (const category of Object.keys(CATEGORIES)) {
    const button = el("button", { type: "button", "data-category": category });
    button.addEventListener("click", () => toggleCategory(category));
    $("categories").append(button);
  }
}

function toggleCategory(category) {
  const values = new Set(state.filters.get("category"));
  if (!values.delete(category)) values.add(category);
  narrow("category", [...values]);
}

function narrow(name, values) {
  if (values.length) state.filters.set(name, new Set(values));
  else state.filters.delete(name);
  changed();
}

function changed() {
  state.page = 0;
  keepAddress();
  drawList();
}

function drawControls() {
  const form = $("filters");
  const own = new Set(["category"]);
  for (const select of form.querySelectorAll("select")) {
    own.add(select.name);
    select.value = [...(state.filters.get(select.name) ?? [""])][0];
  }
  if (form.elements.q.value.trim() !== state.query) form.elements.q.value = state.query;
  drawCategories();
  const foreign = [...state.filters].filter(([name]) => !own.has(name));
  $("tokens").replaceChildren(...foreign.map(([name, values]) => token(name, [...values])));
}

function drawCategories() {
  const counts = {};
  const asked = matcher("category");
  for (const row of ROWS) if (asked(row)) counts[row.category] = (counts[row.category] ?? 0) + 1;
  for (const button of $("categories").querySelectorAll("button")) {
    const category = button.dataset.category;
    button.setAttribute("aria-pressed", String(state.filters.get("category")?.has(category) ?? false));
    button.replaceChildren(mark(category), el("span", { class: "count" }, whole(counts[category] ?? 0)));
  }
}

function token(name, values) {
  const said = values.map((value) => (FLAGS.has(name) ? { 1: "yes", 0: "no" }[value] : value)).join(" or ");
  const button = el("button", { type: "button", class: "token", title: "Remove this filter" }, `${FIELD_NAMES[name] ?? words(name)}: ${said} ✕`);
  button.addEventListener("click", () => narrow(name, []));
  return button;
}
