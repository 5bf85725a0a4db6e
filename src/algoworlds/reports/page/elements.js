"use strict";
/* The parts that pages are made of. Whatever a text says it stays text: nothing here makes markup. */

const $ = (id) => document.getElementById(id);

function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

const words = (name) => name.replaceAll("_", " ");
const titled = (name) => words(name).charAt(0).toUpperCase() + words(name).slice(1);
const whole = (value) => (typeof value === "string" ? BigInt(value) : value).toLocaleString("en");
const fixed = (value, places) => value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });

const SVG = "http://www.w3.org/2000/svg";

function draw(tag, properties = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

function block(title, note, content) {
  return el("section", {}, el("h3", {}, title), el("p", { class: "note" }, note), content);
}

function table(heads, rows, label) {
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, el("table", {},
    el("thead", {}, el("tr", {}, ...heads.map(([title, kind]) => el("th", { scope: "col", class: kind }, title)))),
    el("tbody", {}, ...rows)));
}

function clipped(text, longest = 160) {
  if (text.length <= longest) return el("bdi", { class: "verbatim" }, text);
  const rest = el("details", {}, el("summary", {}, el("bdi", { class: "verbatim" }, `${text.slice(0, longest)}…`)), el("bdi", { class: "verbatim" }, text));
  return rest;
}
