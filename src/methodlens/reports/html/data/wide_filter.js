// Filters of the wide table: "year > 2020", "hardware contains A100", "Code link is reported".
//
// A table has `questions` (id, title, facts: [{key, label, unit}]) and `papers` (name, title, authors, year, doi, flags, cells),
// with one cell per question: null, or [status, text, values by fact key].

const NUMBER_TESTS = {
  "=": (a, b) => a === b, "≠": (a, b) => a !== b, ">": (a, b) => a > b, "≥": (a, b) => a >= b, "<": (a, b) => a < b, "≤": (a, b) => a <= b,
};
const TEXT_TESTS = {
  contains: (a, b) => a.includes(b), "does not contain": (a, b) => !a.includes(b), is: (a, b) => a === b,
};
const STATUS_TESTS = { "is reported": "reported", "is not reported": "not_reported", "is withheld": "withheld" };

// All that can be filtered and sorted by. `values` gives a paper's values: texts and numbers.
function wideFields(table) {
  const about = [
    { id: "any", label: "anything", values: (paper) => [paper.name, paper.title, paper.authors, paper.doi, ...paper.cells.map((cell) => cell?.[1] ?? "")] },
    { id: "paper", label: "paper", values: (paper) => [paper.name] },
    { id: "title", label: "title", values: (paper) => [paper.title] },
    { id: "authors", label: "authors", values: (paper) => [paper.authors] },
    { id: "year", label: "year", numeric: true, values: (paper) => (paper.year === null ? [] : [paper.year]) },
    { id: "doi", label: "DOI", values: (paper) => [paper.doi] },
    { id: "flags", label: "flags", values: (paper) => [paper.flags] },
  ];
  const asked = table.questions.flatMap((question, index) => [
    { id: `q${index}`, label: question.title, question: index, values: (paper) => [paper.cells[index]?.[1] ?? ""] },
    ...question.facts.map((fact) => factField(table, question, index, fact)),
  ]);
  return [...about, ...asked];
}

function factField(table, question, index, fact) {
  const values = (paper) => paper.cells[index]?.[2][fact.key] ?? [];
  const numeric = table.papers.some((paper) => values(paper).some((value) => typeof value === "number"));
  const unit = fact.unit ? ` (${fact.unit})` : "";
  return { id: `q${index}.${fact.key}`, label: `${question.title}: ${fact.label}${unit}`, question: index, fact: fact.key, numeric, values };
}

const testsOf = (field) => [
  ...(field.question !== undefined && !field.fact ? Object.keys(STATUS_TESTS) : []),
  ...(field.numeric ? Object.keys(NUMBER_TESTS) : Object.keys(TEXT_TESTS)),
];

function passes(paper, { field, test, value }) {
  if (test in STATUS_TESTS) return paper.cells[field.question]?.[0] === STATUS_TESTS[test];
  const values = field.values(paper);
  if (test in NUMBER_TESTS) {
    const number = Number(value);
    return values.some((each) => typeof each === "number" && NUMBER_TESTS[test](each, number));
  }
  const word = value.toLowerCase();
  const texts = values.map((each) => String(each).toLowerCase());
  return test === "does not contain" ? texts.every((text) => TEXT_TESTS[test](text, word)) : texts.some((text) => TEXT_TESTS[test](text, word));
}

// Papers without a value come last, whatever the direction.
function wideOrder(field, descending) {
  return (a, b) => {
    const [first] = field.values(a), [second] = field.values(b);
    const known = (value) => value !== undefined && value !== "";
    if (!known(first) || !known(second)) return Number(known(second)) - Number(known(first));
    const order = typeof first === "number" && typeof second === "number" ? first - second : String(first).localeCompare(String(second), undefined, { numeric: true });
    return descending ? -order : order;
  };
}
