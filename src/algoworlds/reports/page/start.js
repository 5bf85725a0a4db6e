
/* -- start ------------------------------------------------------------------------------------------------------------- */

let filtersBefore = null;
const FOLLOWED = "followed"; /* a dialog that closes since the address says so; that is told late, when another may be asked for */

function follow() {
  readAddress();
  const filters = addressOf();
  if (filters !== filtersBefore) {
    state.page = 0;
    drawList();
    if (filters && !state.evaluation) $("evaluations").scrollIntoView();
  }
  filtersBefore = filters;
  if (state.evaluation) openEvaluation(state.evaluation);
  else if ($("evaluation").open) $("evaluation").close(FOLLOWED);
}

function start() {
  startTheme();
  drawMatrix();
  document.querySelectorAll("table.sortable").forEach(makeSortable);
  fillControls();
  for (const each of [$("filters"), document.querySelector(".listbar")]) each.hidden = false;
  $("evaluation").addEventListener("close", () => {
    if ($("evaluation").open || $("evaluation").returnValue === FOLLOWED) return;
    state.evaluation = null;
    keepAddress();
  });
  $("evaluation").addEventListener("click", (event) => { if (event.target === $("evaluation")) $("evaluation").close(); });
  $("evaluation").addEventListener("keydown", (event) => {
    const replaying = $("evaluation").querySelector(".replay");
    if (replaying) { stepByKey(replaying, event); return; }
    if (event.target.matches("select, .scroll")) return; /* the arrows are theirs */
    const name = { ArrowLeft: "Previous", ArrowRight: "Next" }[event.key];
    if (name) $("evaluation").querySelector(`a[aria-label^="${name}"]`)?.click();
  });
  addEventListener("hashchange", follow);
  follow();
  if (location.hash && !location.hash.includes("=")) $(location.hash.slice(1))?.scrollIntoView(); /* what was drawn has moved it */
}

start();
