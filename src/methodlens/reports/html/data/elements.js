// Helpers that build elements, for the report and the review room. Text from papers only becomes text nodes and attribute values:
// these files never use innerHTML, and the page's content security policy forbids it.

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

// el("a", {class: "x", href: "#/"}, "text", child): strings become text nodes; null and false are skipped.
function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svgEl(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

const present = (children) => children.flat(2).filter((child) => child !== null && child !== undefined && child !== false);
const refill = (element, ...children) => element.replaceChildren(...present(children));

// Only a complete http(s) URL becomes a link; anything else stays text.
function linked(text) {
  if (!/^https?:\/\/[^\s<>"'`\\]+$/i.test(text)) return text;
  try {
    const url = new URL(text);
    if (url.protocol !== "http:" && url.protocol !== "https:") return text;
    return el("a", { href: url.href, rel: "noopener noreferrer nofollow", target: "_blank" }, text);
  } catch {
    return text;
  }
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
