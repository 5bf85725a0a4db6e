"use strict";
/* Building blocks of pages. Texts are always added as text, never as markup. */

const $ = (id) => document.getElementById(id);

function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const words = (name) => name.replaceAll("_", " ");
const toTitle = (name) => words(name).charAt(0).toUpperCase() + words(name).slice(1);
const formatInteger = (value) => (typeof value === "string" ? BigInt(value) : value).toLocaleString("en");
const formatDecimal = (value, places) => value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });

const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, properties = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

function block(title, note, content) {
  return el("section", {}, el("h3", {}, title), el("p", { class: "note" }, note), content);
}

function table(heads, rows, label) {
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": label }, el("table", {},
    el("thead", {}, el("tr", {}, ...heads.map(([title, kind]) => el("th", { scope: "col", class: kind }, title)))),
    el("tbody", {}, ...rows)));
}

/* What a model thought in a turn, folded: {text, is_encrypted, tokens, seconds}; tokens and seconds may be null. */
function thinkingView({ text, is_encrypted, tokens, seconds }) {
  const facts = [tokens === null ? null : `${formatInteger(tokens)} tokens`, seconds === null ? null : `${formatDecimal(seconds, 1)} s`].filter(Boolean);
  const title = [text || is_encrypted || tokens ? "Thinking" : "Turn", ...facts, is_encrypted ? `${text ? "partly " : ""}readable only by the provider` : null].filter(Boolean).join(" · ");
  if (!text) return el("p", { class: "thinking" }, title);
  return el("details", { class: "thinking" }, el("summary", {}, title), el("bdi", { class: "verbatim" }, text));
}

function expandable(text, maxChars = 160) {
  if (text.length <= maxChars) return el("bdi", { class: "verbatim" }, text);
  return el("details", {}, el("summary", {}, el("bdi", { class: "verbatim" }, `${text.slice(0, maxChars)}…`)), el("bdi", { class: "verbatim" }, text));
}
