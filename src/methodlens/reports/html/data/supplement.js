// What the supplements of a paper say: "In the supplement" below each answer, apart from what the paper reports, and only as text.

function supplementNote([file, pages, problem]) {
  const title = [el("span", { class: "name" }, "Supplement"), " ", el("bdi", {}, file)];
  return el("p", { class: "note" }, title, problem ? ` could not be read: ${problem}` : pages ? ` · ${plural(pages, "page")}` : "");
}

function inSupplement(supplements) {
  const asked = (supplements ?? []).filter(({ status }) => status);
  if (!asked.length) return null;
  return el("section", { class: "in-code in-supplement", "aria-label": "In the supplement" },
    el("h3", {}, "In the supplement"),
    asked.map(({ file, status, answer, quotes }) => el("div", {},
      el("p", { class: "compared" }, mark(status), " ", el("cite", {}, el("bdi", {}, file))),
      status === "r" && answer ? el("p", { class: "answer" }, answer) : null,
      quotes.map(([text, where]) => el("blockquote", {}, el("bdi", {}, text), " ", el("cite", {}, `${file}, ${where}`))))));
}
