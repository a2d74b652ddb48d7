// The wide table: papers by questions, with short answers and facts; filters, sorting, a choice of columns, copying.
// `wide_filter.js` says what a table is. `addressOf(paper, question)` links a cell.

const ROWS_AT_ONCE = 20;
const NARROWEST = 60, WIDEST = 1200; // pixels
const STATUS_MARKS = { reported: "●", not_reported: "○", withheld: "?", failed: "!", unreadable: "–" };

function wideTable(holder, table, addressOf) {
  const fields = wideFields(table);
  const byField = new Map(fields.map((field) => [field.id, field]));
  const columns = fields.filter((field) => field.id !== "any" && field.id !== "paper");
  const visible = new Set(columns.filter((field) => field.id === "year" || (field.question !== undefined && !field.fact)).map((field) => field.id));
  const widths = new Map();
  const filters = [];
  const sort = { field: null, descending: false };
  let rows = table.papers;

  const count = el("p", { class: "soft small", role: "status" });
  const copied = el("div", { class: "soft small", role: "status" });
  const chips = el("ul", { class: "chips", "aria-label": "Filters" });
  const head = el("thead"), body = el("tbody");
  const grid = el("table", { class: "wide" }, el("caption", { class: "visually-hidden" }, "Papers by questions, with short answers"), head, body);
  const frame = el("div", { class: "scroll wide-frame", tabindex: 0, role: "region", "aria-label": "Papers by questions, with short answers" }, grid);
  const more = new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && addRows(), { root: frame, rootMargin: "600px" });
  const end = el("div");
  frame.append(end);

  // --- rows ---

  function update() {
    rows = table.papers.filter((paper) => filters.every((filter) => passes(paper, filter)));
    if (sort.field) rows.sort(wideOrder(sort.field, sort.descending));
    refill(count, rows.length === table.papers.length ? plural(rows.length, "paper") : `${rows.length} of ${plural(table.papers.length, "paper")}`);
    refill(head, headRow());
    refill(body);
    addRows();
    for (const grip of head.querySelectorAll(".grip")) grip.setAttribute("aria-valuenow", Math.round(grip.parentElement.getBoundingClientRect().width));
  }

  function addRows() {
    const from = body.rows.length;
    body.append(...rows.slice(from, from + ROWS_AT_ONCE).map(row));
    more.unobserve(end);
    if (body.rows.length < rows.length) more.observe(end); // anew, so that it also reports an end that is still in view
  }

  const kind = (field) => (field.numeric ? "numeric" : null);
  const shown = () => columns.filter((field) => visible.has(field.id));

  function row(paper) {
    return el("tr", {}, el("th", { scope: "row" }, el("a", { href: addressOf(paper) }, paper.name), paper.title ? el("span", { class: "soft" }, paper.title) : null), shown().map((field) => cell(paper, field)));
  }

  function cell(paper, field) {
    if (field.question === undefined) return el("td", { class: kind(field) }, field.values(paper).join(", "));
    const answer = paper.cells[field.question];
    if (!answer) return el("td", {});
    const [status, text] = answer;
    if (field.fact) return el("td", { class: kind(field) }, field.values(paper).join("; "));
    const label = status.replace("_", " ");
    const word = text.startsWith(label) ? text : [el("span", { class: "visually-hidden" }, `${label}: `), text];
    return el("td", { class: status }, el("a", { href: addressOf(paper, table.questions[field.question]) }, el("span", { "aria-hidden": "true" }, `${STATUS_MARKS[status]} `), word));
  }

  // --- header: sorting and widths ---

  function headRow() {
    return el("tr", {}, headCell(byField.get("paper")), shown().map(headCell));
  }

  function headCell(field) {
    const direction = sort.field === field ? (sort.descending ? "descending" : "ascending") : "none";
    const arrow = { ascending: " ↑", descending: " ↓", none: "" }[direction];
    const button = el("button", { type: "button", class: "plain", title: "Sort", click: () => sortBy(field) }, field.label, arrow);
    const grip = handle(field);
    const th = el("th", { scope: "col", class: kind(field), "aria-sort": direction, "data-field": field.id }, button, grip);
    if (widths.has(field.id)) setWidth(grip, widths.get(field.id));
    return th;
  }

  function sortBy(field) {
    if (sort.field !== field) Object.assign(sort, { field, descending: false });
    else if (!sort.descending) sort.descending = true;
    else sort.field = null;
    update();
    head.querySelector(`th[data-field="${CSS.escape(field.id)}"] button`).focus();
  }

  function setWidth(grip, width) {
    grip.parentElement.style.width = `${width}px`;
    grip.setAttribute("aria-valuenow", width);
  }

  // Dragged, or moved with the arrow keys
  function handle(field) {
    const resize = (width) => { widths.set(field.id, Math.min(WIDEST, Math.max(NARROWEST, Math.round(width)))); setWidth(grip, widths.get(field.id)); };
    const grip = el("span", {
      class: "grip", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": `Width of ${field.label}, in pixels`,
      "aria-valuemin": NARROWEST, "aria-valuemax": WIDEST,
    });
    grip.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const start = event.clientX, before = grip.parentElement.getBoundingClientRect().width;
      grip.setPointerCapture(event.pointerId);
      grip.onpointermove = (moved) => resize(before + moved.clientX - start);
      grip.onpointerup = () => { grip.onpointermove = null; };
    });
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -20, ArrowRight: 20 }[event.key];
      if (!step) return;
      event.preventDefault();
      resize(grip.parentElement.getBoundingClientRect().width + step);
    });
    return grip;
  }

  // --- filters ---

  function filterForm() {
    const field = el("select", { "aria-label": "Filter by" }, fields.map((each) => el("option", { value: each.id }, each.label)));
    const test = el("select", { "aria-label": "Condition" });
    const value = el("input", { type: "text", "aria-label": "Value", maxlength: 200 });
    const chosen = () => byField.get(field.value);
    const offer = () => {
      refill(test, testsOf(chosen()).map((name) => el("option", {}, name)));
      adapt();
    };
    const adapt = () => { value.hidden = test.value in STATUS_TESTS; value.inputMode = test.value in NUMBER_TESTS ? "decimal" : "text"; };
    field.addEventListener("change", offer);
    test.addEventListener("change", adapt);
    offer();
    const form = el("form", { class: "wide-filter" }, field, test, value, el("button", {}, "Add filter"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = value.value.trim();
      const needed = !(test.value in STATUS_TESTS);
      if (needed && (!typed || (test.value in NUMBER_TESTS && !Number.isFinite(Number(typed))))) return value.focus();
      filters.push({ field: chosen(), test: test.value, value: needed ? typed : "" });
      value.value = "";
      listFilters();
    });
    return form;
  }

  function listFilters() {
    refill(chips, filters.map((filter) => el("li", { class: "chip" }, `${filter.field.label} ${filter.test} ${filter.value}`.trim(), " ",
      el("button", { type: "button", class: "plain", "aria-label": "Remove this filter", click: () => { filters.splice(filters.indexOf(filter), 1); listFilters(); } }, "×"))));
    update();
  }

  // --- columns and copying ---

  function columnChooser() {
    const boxes = columns.map((field) => {
      const box = el("input", { type: "checkbox", checked: visible.has(field.id) });
      box.addEventListener("change", () => { visible[box.checked ? "add" : "delete"](field.id); update(); });
      return el("label", { class: field.fact ? "fact-column" : "" }, box, " ", field.label);
    });
    return el("details", { class: "columns" }, el("summary", {}, "Columns"), el("div", { class: "column-list" }, boxes));
  }

  function copy(write) {
    const fieldsShown = [byField.get("paper"), ...shown()];
    copyText(write(fieldsShown.map((field) => field.label), rows.map((paper) => fieldsShown.map((field) => field.values(paper).join("; ")))), copied);
  }

  refill(holder,
    el("div", { class: "wide-tools" }, filterForm(), columnChooser(),
      el("span", {}, "Copy as ", el("button", { type: "button", click: () => copy(asMarkdown) }, "Markdown"), " ", el("button", { type: "button", click: () => copy(asLatex) }, "LaTeX"))),
    chips, count, copied, frame);
  update();
}
