
/* -- start ------------------------------------------------------------------------------------------------------------- */

let lastFilters = null;
const CLOSED_BY_ADDRESS = "address"; /* the close event arrives late, when another evaluation may have been requested */

function applyAddress() {
  readAddress();
  const filters = addressOf();
  if (filters !== lastFilters) {
    state.page = 0;
    drawList();
    if (filters && !state.evaluation) $("evaluations").scrollIntoView();
  }
  lastFilters = filters;
  if (state.evaluation) openEvaluation(state.evaluation);
  else if ($("evaluation").open) $("evaluation").close(CLOSED_BY_ADDRESS);
}

function start() {
  startTheme();
  drawMatrix();
  document.querySelectorAll("table.sortable").forEach(makeSortable);
  fillControls();
  for (const element of [$("filters"), document.querySelector(".listbar")]) element.hidden = false;
  $("evaluation").addEventListener("close", () => {
    if ($("evaluation").open || $("evaluation").returnValue === CLOSED_BY_ADDRESS) return;
    state.evaluation = null;
    replaceAddress();
  });
  $("evaluation").addEventListener("click", (event) => { if (event.target === $("evaluation")) $("evaluation").close(); });
  $("evaluation").addEventListener("keydown", (event) => {
    const openReplay = $("evaluation").querySelector(".replay");
    if (openReplay) { stepByKey(openReplay, event); return; }
    if (event.target.matches("select, .scroll")) return; /* they use the arrow keys themselves */
    const name = { ArrowLeft: "Previous", ArrowRight: "Next" }[event.key];
    if (name) $("evaluation").querySelector(`a[aria-label^="${name}"]`)?.click();
  });
  addEventListener("hashchange", applyAddress);
  applyAddress();
  if (location.hash && !location.hash.includes("=")) $(location.hash.slice(1))?.scrollIntoView(); /* drawing has moved it */
}

start();
