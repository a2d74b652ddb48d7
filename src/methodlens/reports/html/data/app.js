// Routing and keyboard shortcuts. Every view has an address, such as #/paper/KEY/QUESTION. Links in workbooks have colons in
// place of slashes.

const PAGES = ["matrix", "table", "questions", "summary", "methods", "paper", "question"];
let scrolled = 0; // scroll position of the matrix when it was left
let shownBefore = ""; // the page that was shown before this one

function route() {
  const [page = "", first = "", second = ""] = location.hash.replace(/^#\/?/, "").split(/[/:]/).map(decode);
  if (byId("matrix").hidden === false) scrolled = byId("frame").scrollTop;
  let shownPage = page || "matrix";
  if (page === "paper") reveal("paper", () => showPaper(first, second));
  else if (page === "question") reveal("question", () => showQuestion(first));
  else if (page === "table") reveal("table", showTable);
  else reveal(shownPage = PAGES.slice(0, 5).includes(shownPage) ? shownPage : "matrix");
  for (const link of document.querySelectorAll("nav [data-page]")) {
    const here = link.dataset.page === (shownPage === "question" ? "questions" : shownPage === "paper" ? "matrix" : shownPage);
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${byId(shownPage).dataset.title || "Report"} · methodlens`;
  const inPaper = page === "paper" ? data.papers[papersByKey.get(first)] : null;
  refill(byId("here"), inPaper ? [el("a", { href: paperAddress(inPaper) }, inPaper.name), inPaper.title ? ` ${inPaper.title}` : null] : null);
  for (const link of document.querySelectorAll("#parts a")) link.href = link.dataset.file + (page === "paper" ? "" : location.hash); // keep the question
  const cell = page === "paper" && second ? byId("paper").querySelector("article.active") : null;
  if (cell) cell.scrollIntoView({ block: "start", behavior: "instant" });
  else scrollTo({ top: 0, behavior: "instant" });
  if (shownPage === "matrix") {
    byId("frame").scrollTop = scrolled;
    if (shown.rows.length > WHOLE) draw();
  }
  moveFocusTo(shownPage, cell);
  shownBefore = shownPage;
}

// A view that opens gets the focus, and the matrix gives it back to the cell that was opened. Not when the file is opened.
function moveFocusTo(page, cell) {
  if (!shownBefore) return;
  if (page !== "matrix") (cell ?? byId("content")).focus({ preventScroll: true });
  else if (shownBefore !== "matrix") focusAt();
}

function reveal(page, build) {
  for (const name of PAGES) byId(name).hidden = name !== page;
  build?.();
}

// Built when it is first shown: parsing its data takes a moment in a large report.
function showTable() {
  if (byId("wide").firstChild) return;
  const { questions, cells } = parseBlock("wide-cells");
  const papers = data.papers.map((paper, index) => ({ ...paper, authors: paper.authors.join("; "), flags: paper.flags.join(", "), cells: cells[index].map((cell) => cell && [states[cell[0]].name, cell[1], cell[2]]) }));
  wideTable(byId("wide"), { questions, papers }, (paper, question) => paperAddress(paper, question));
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function keys(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || /^(input|select|textarea)$/i.test(event.target.tagName)) {
    if (event.key === "Escape" && !(event.target.id === "search" && clearSearch())) event.target.blur?.();
    return;
  }
  const onPaper = !byId("paper").hidden;
  if (event.key === "/" ) {
    event.preventDefault();
    if (byId("matrix").hidden) location.hash = "#/";
    setTimeout(() => byId("search").focus());
  } else if (event.key === "Escape" && byId("matrix").hidden) {
    location.hash = "#/";
  } else if (onPaper && open.key && (event.key === "j" || event.key === "k")) {
    const next = Math.max(0, Math.min(data.questions.length - 1, open.question + (event.key === "j" ? 1 : -1)));
    location.hash = paperAddress(data.papers[papersByKey.get(open.key)], data.questions[next]);
  }
}

function offerCopy() {
  const button = byId("copy-methods");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = [...byId("methods-text").querySelectorAll("p")].map((part) => part.textContent).join("\n\n");
    try {
      await navigator.clipboard.writeText(text);
      byId("copied").textContent = "Copied.";
    } catch { // no permission: select the text instead
      getSelection().selectAllChildren(byId("methods-text"));
      byId("copied").textContent = "Selected: press Ctrl-C to copy.";
    }
  });
}

// An interrupted run can leave files of two versions of the report. Warn when a link leads from one to the other.
function checkParts() {
  const expected = new URLSearchParams(location.search).get("of");
  byId("mixed").hidden = !expected || expected === split.stamp;
}

document.documentElement.classList.add("scripted");
byId("content").classList.add("ready");
if (split) checkParts();
buildMatrix();
offerCopy();
offerDownloads();
addEventListener("hashchange", route);
addEventListener("keydown", keys);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("content").focus();
});
route();
