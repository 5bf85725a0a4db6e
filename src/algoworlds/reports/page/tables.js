
/* -- tables that sort -------------------------------------------------------------------------------------------------- */

const NUMBER = /^[[<=\s]*([+\-−]?\d[\d,]*(?:\.\d+)?)/;

function sortValue(text) {
  const match = NUMBER.exec(text);
  return match ? Number(match[1].replaceAll(",", "").replace("−", "-")) : null;
}

function makeSortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  const sortable = table.classList.contains("grouped") ? [] : heads; /* grouped rows keep their order */
  sortable.forEach((head, column) => {
    const button = el("button", { type: "button" }, head.textContent);
    head.replaceChildren(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => sortTable(table, heads, column));
  });
  heads.forEach((_, column) => {
    if (column && !isNumeric(table, column)) for (const row of table.rows) row.cells[column].classList.add("words");
  });
}

const cellText = (row, column) => row.cells[column].textContent.trim();
const isNumeric = (table, column) =>
  [...table.tBodies[0].rows].every((row) => ["-", ""].includes(cellText(row, column)) || sortValue(cellText(row, column)) !== null);

function sortTable(table, heads, column) {
  const numeric = isNumeric(table, column);
  const before = heads[column].getAttribute("aria-sort");
  const down = before === "none" ? numeric : before === "ascending";
  heads.forEach((head) => head.setAttribute("aria-sort", "none"));
  heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = (row) => (numeric ? sortValue(cellText(row, column)) : cellText(row, column).toLowerCase());
  const rows = [...table.tBodies[0].rows];
  rows.sort((one, other) => {
    const [mine, theirs] = [value(one), value(other)];
    if (mine === null || theirs === null) return (mine === null) - (theirs === null);
    return (down ? -1 : 1) * compareValues(mine, theirs);
  });
  table.tBodies[0].append(...rows);
}

/* -- theme ------------------------------------------------------------------------------------------------------------- */

const darkBySystem = matchMedia("(prefers-color-scheme: dark)");

function storedTheme(theme) {
  try {
    if (theme) localStorage.setItem("algoworlds-theme", theme);
    return localStorage.getItem("algoworlds-theme");
  } catch {
    return null; /* a page opened from a file may have no storage */
  }
}

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  const dark = (theme ?? (darkBySystem.matches ? "dark" : "light")) === "dark";
  $("theme").textContent = dark ? "Light" : "Dark";
  $("theme").setAttribute("aria-label", dark ? "Switch to light colours" : "Switch to dark colours");
}

function startTheme() {
  setTheme(storedTheme());
  $("theme").hidden = false;
  $("theme").addEventListener("click", () => setTheme(storedTheme($("theme").textContent.toLowerCase()) ?? $("theme").textContent.toLowerCase()));
}
