// The form in which a reviewer corrects the facts of a cell: per fact one line per value, per value one input per field.

import { text } from "./session.js";

const holder = () => document.getElementById("facts");

// The values as a list of objects with the fact's fields; a plain value has the field "".
function valuesOf(field, exported) {
  const list = exported === undefined || exported === null ? [] : Array.isArray(exported) ? exported : [exported];
  return list.map((value) => (hasFields(field) ? value : { "": value }));
}

const hasFields = (field) => field.fields.length > 0;
const typesOf = (field) => (hasFields(field) ? field.fields : [["", field.type]]);

function valueLine(field, value = {}) {
  const line = document.createElement("li");
  for (const [name, type] of typesOf(field)) {
    const input = document.createElement("input");
    input.type = "text";
    input.inputMode = { number: "decimal", integer: "numeric", link: "url" }[type] ?? "text";
    input.maxLength = 500;
    input.dataset.field = name;
    input.value = value[name] ?? "";
    input.placeholder = name.replaceAll("_", " ");
    input.setAttribute("aria-label", [field.label, name.replaceAll("_", " "), name ? "" : field.unit].filter(Boolean).join(", "));
    line.append(input);
  }
  const remove = text("button", "Remove");
  remove.type = "button";
  remove.setAttribute("aria-label", `Remove this value of ${field.label}`);
  remove.addEventListener("click", () => {
    const list = line.parentElement;
    line.remove();
    list.nextElementSibling?.focus();
  });
  line.append(remove);
  return line;
}

function factGroup(field, exported) {
  const group = document.createElement("div");
  group.className = "fact";
  group.dataset.key = field.key;
  const list = document.createElement("ul");
  list.append(...valuesOf(field, exported).map((value) => valueLine(field, value)));
  const add = text("button", "Add");
  add.type = "button";
  add.setAttribute("aria-label", `Add a value of ${field.label}`);
  add.addEventListener("click", () => {
    list.append(valueLine(field));
    list.lastElementChild.querySelector("input").focus();
  });
  group.append(text("span", field.unit ? `${field.label} (${field.unit})` : field.label, "fact-label"), list, add);
  return group;
}

export function fillFacts() {
  if (!holder()) return;
  const { fields, facts } = JSON.parse(holder().dataset.facts);
  holder().querySelector(".fact-groups").replaceChildren(...fields.map((field) => factGroup(field, facts[field.key])));
  holder().dataset.before = JSON.stringify(enteredFacts());
}

function enteredFacts() {
  const entered = {};
  for (const group of holder().querySelectorAll(".fact")) {
    entered[group.dataset.key] = [...group.querySelectorAll("li")].map((line) => {
      const inputs = [...line.querySelectorAll("input")].map((input) => [input.dataset.field, input.value.trim()]);
      return inputs.length === 1 && inputs[0][0] === "" ? inputs[0][1] : Object.fromEntries(inputs);
    });
  }
  return entered;
}

// What the reviewer entered, now or in an earlier decision; undefined if the readers' facts were left as they are.
export function correctedFacts() {
  if (!holder()) return undefined;
  const entered = enteredFacts();
  return holder().dataset.own === "false" && JSON.stringify(entered) === holder().dataset.before ? undefined : entered;
}
