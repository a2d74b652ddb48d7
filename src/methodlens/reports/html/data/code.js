// What the repository of a paper says: its completeness checklist, and "In code" below each answer. It is shown apart from what the
// paper reports, and only as text.

function repositoryCard(repository) {
  const met = repository.checks.filter(([, found]) => found).length;
  const title = [el("span", { class: "name" }, "Code"), " ", el("bdi", {}, repository.name)];
  if (repository.problem) return el("p", { class: "note" }, title, ` could not be read: ${repository.problem}`);
  return el("details", { class: "note repository" },
    el("summary", {}, title, repository.checks.length ? ` · ${met} of ${repository.checks.length} checklist items` : ""),
    el("ul", { class: "checks" }, repository.checks.map(([item, found, places]) => el("li", {},
      el("span", { class: found ? "met" : "unmet" }, el("span", { "aria-hidden": "true" }, found ? "✓" : "–"), el("span", { class: "visually-hidden" }, found ? "found: " : "not found: ")), ` ${item}`,
      places.length ? el("span", { class: "soft" }, " ", places.map((place, at) => [at ? ", " : "", el("code", {}, place)])) : null))));
}

function inCode(code) {
  if (!code || (!code.findings.length && !code.comparison.length)) return null;
  const rest = code.findings.slice(code.first);
  return el("section", { class: "in-code", "aria-label": "In code" },
    el("h3", {}, "In code"),
    code.comparison.map(([outcome, sentence]) => el("p", { class: "compared" }, el("span", { class: `chip outcome ${outcome.replaceAll(" ", "-")}` }, outcome), " ", el("bdi", {}, sentence))),
    code.findings.length ? el("ul", { class: "lines" }, code.findings.slice(0, code.first).map(codeLine)) : null,
    rest.length ? el("details", { class: "other" }, el("summary", {}, `${plural(rest.length, "more line")}`), el("ul", { class: "lines" }, rest.map(codeLine))) : null);
}

const codeLine = ([place, quote, note]) => el("li", {}, el("code", { class: "line" }, el("bdi", {}, quote)), " ", el("cite", {}, place), note ? el("span", { class: "soft small" }, ` ${note}`) : null);
