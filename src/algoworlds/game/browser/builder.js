
/* The decision builder: one control for each argument of a decision; its kind follows from `manner`.
 *
 * `builder(pieces, draft, changed)` returns an element. `pieces` is plain JSON: [{argument, manner, entity, per, places: [{owner, offers:
 * [[id, note], ...]}]}]. `draft` holds the choices so far by argument; `changed()` is called whenever they change. Nothing here depends on a family.
 */

const MANNERS = { assign: onePerOwner, pick: onePerOwner, order: inOrder, subset: anyOf };

function builder(pieces, draft, changed) {
  return el("div", { class: "builder" }, ...pieces.map((piece) => el("fieldset", { class: piece.manner, "data-argument": piece.argument },
    el("legend", {}, promptOf(piece)), MANNERS[piece.manner](piece, (draft[piece.argument] ??= emptyOf(piece)), changed))));
}

const emptyOf = ({ manner }) => (manner === "assign" || manner === "pick" ? {} : []);

function promptOf({ manner, entity, per }) {
  if (manner === "assign") return `A ${words(entity)} for every ${words(per)}`;
  if (manner === "pick") return `One ${words(entity)} for each ${words(per)}`;
  return manner === "order" ? `${toTitle(entity)} after ${words(entity)}, in order` : `Which ${words(entity)} ids to take, in any order`;
}

/* -- one choice per owner ---------------------------------------------------------------------------------------------- */

function onePerOwner({ entity, places }, chosen, changed) {
  const rows = places.map(({ owner, offers }) => {
    const select = el("select", { "data-owner": owner, disabled: offers.length === 0 },
      el("option", { value: "" }, offers.length ? "–" : `no ${words(entity)} read yet`),
      ...offers.map(([id, note]) => el("option", { value: id, selected: chosen[owner] === id }, note ? `${short(id)} · ${short(note)}` : short(id))));
    select.addEventListener("change", () => {
      if (select.value) chosen[owner] = select.value;
      else delete chosen[owner];
      changed();
    });
    return el("label", { class: "post" }, el("span", { title: owner }, short(owner)), select);
  });
  return el("div", { class: "posts" }, ...rows);
}

/* -- an order ---------------------------------------------------------------------------------------------------------- */

function inOrder({ entity, places: [{ offers }] }, chosen, changed) {
  const listed = el("ol", { class: "sequence" });
  const more = el("select", { "aria-label": `Add a ${words(entity)}` });
  const move = (from, to) => { chosen.splice(to, 0, ...chosen.splice(from, 1)); show(); changed(); };
  const show = () => {
    listed.replaceChildren(...chosen.map((id, at) => el("li", { "data-id": id }, el("span", { title: id }, short(id)),
      act("↑", `Move ${short(id)} up`, at === 0, () => move(at, at - 1)), act("↓", `Move ${short(id)} down`, at === chosen.length - 1, () => move(at, at + 1)),
      act("✕", `Remove ${short(id)}`, false, () => { chosen.splice(at, 1); show(); changed(); }))));
    more.replaceChildren(el("option", { value: "" }, `add a ${words(entity)} …`),
      ...offers.filter(([id]) => !chosen.includes(id)).map(([id, note]) => el("option", { value: id }, note ? `${short(id)} · ${short(note)}` : short(id))));
  };
  more.addEventListener("change", () => { if (more.value) { chosen.push(more.value); show(); changed(); } });
  show();
  return el("div", {}, listed, more);
}

function act(sign, name, disabled, done) {
  const button = el("button", { type: "button", class: "small", "aria-label": name, disabled }, sign);
  button.addEventListener("click", done);
  return button;
}

/* -- a subset ---------------------------------------------------------------------------------------------------------- */

const MANY = 12;

function anyOf({ entity, places: [{ offers }] }, chosen, changed) {
  const boxes = offers.map(([id, note]) => {
    const box = el("input", { type: "checkbox", value: id, checked: chosen.includes(id) });
    box.addEventListener("change", () => {
      chosen.splice(0, chosen.length, ...offers.map(([each]) => each).filter((each) => (each === id ? box.checked : chosen.includes(each))));
      changed();
    });
    return el("label", { class: "offer", title: id }, box, el("span", {}, short(id)), el("small", {}, short(note)));
  });
  const list = el("div", { class: "offers", tabindex: 0, role: "group", "aria-label": `All ${words(entity)} ids` }, ...boxes);
  if (!offers.length) list.append(el("p", { class: "note" }, `no ${words(entity)} read yet`));
  return el("div", {}, offers.length > MANY ? searchOver(entity, boxes) : null, list);
}

function searchOver(entity, boxes) {
  const search = el("input", { type: "search", placeholder: "narrow down: P3, chosen …", "aria-label": `Narrow down the ${words(entity)} ids` });
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    for (const label of boxes) {
      const told = `${label.textContent} ${label.querySelector("input").checked ? "chosen" : ""}`.toLowerCase().split(/[\s,·]+/);
      label.hidden = !wanted.every((word) => told.includes(word));
    }
  });
  return search;
}

/* -- the decision ------------------------------------------------------------------------------------------------------ */

/* The arguments that submit `draft`: one entry per owner, in the order of the owners, or a list. */
function argumentsFrom(pieces, draft) {
  return Object.fromEntries(pieces.map(({ argument, manner, places }) => {
    const chosen = draft[argument] ?? [];
    if (manner === "order" || manner === "subset") return [argument, [...chosen]];
    const made = places.filter(({ owner }) => chosen[owner]).map(({ owner }) => [owner, chosen[owner]]);
    return [argument, manner === "assign" ? Object.fromEntries(made) : made.map(([, id]) => id)];
  }));
}

/* What is missing in a decision, as sentences; a list is complete unless nothing at all is chosen. */
function gapsOf(pieces, draft) {
  if (pieces.every(({ argument }) => !Object.keys(draft[argument] ?? {}).length) && !pieces.some(({ per }) => per)) return ["Nothing is chosen yet"];
  return pieces.filter(({ manner }) => manner === "assign" || manner === "pick").flatMap(({ argument, entity, per, places }) => {
    const open = places.filter(({ owner }) => !(draft[argument] ?? {})[owner]).map(({ owner }) => short(owner));
    return open.length ? [`${open.length} of ${places.length} ${words(per)} ids have no ${words(entity)} yet: ${open.slice(0, 6).join(", ")}${open.length > 6 ? " and others" : ""}`] : [];
  });
}

function summaryOf(pieces, draft) {
  return el("dl", { class: "summary" }, ...pieces.flatMap(({ argument, manner, places }) => {
    const chosen = draft[argument] ?? [];
    const told = manner === "order" || manner === "subset" ? chosen.map(short)
      : places.filter(({ owner }) => chosen[owner]).map(({ owner }) => `${short(owner)} → ${short(chosen[owner])}`);
    return [el("dt", {}, toTitle(argument)), el("dd", {}, told.join(", ") || "nothing")];
  }));
}
