// Downloads of plots as SVG, PNG and CSV, made in the page: nothing is fetched, so they also work from disk.

const DOTS_PER_POINT = 600 / 72;
const MOST_PIXELS = 12e6; // as in the PNG files of "methodlens figures"

function saveAs(name, content) {
  const address = URL.createObjectURL(content);
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const svgText = (drawing) => new XMLSerializer().serializeToString(drawing);

async function pngOf(drawing) {
  const { width, height } = drawing.viewBox.baseVal;
  const scale = Math.min(DOTS_PER_POINT, Math.sqrt(MOST_PIXELS / (width * height)));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(drawing))}`;
  await image.decode();
  const canvas = el("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => blob ? resolve(blob) : reject(new Error("no image")), "image/png"));
}

// Text that a spreadsheet would take for a formula gets an apostrophe, as in the exports.
function csvText(rows) {
  const cell = (value) => typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : String(value);
  return rows.map((row) => row.map((value) => `"${cell(value).replaceAll('"', '""')}"`).join(",")).join("\r\n") + "\r\n";
}

// `drawing` and `csv` are functions, so that nothing is made before it is wanted.
function downloads(name, title, drawing, csv) {
  const status = el("span", { class: "small soft", role: "status" });
  const button = (kind, save) => el("button", {
    type: "button", "aria-label": `Download ${title} as ${kind}`,
    click: async () => {
      status.textContent = "";
      try {
        saveAs(`${name}.${kind.toLowerCase()}`, await save());
      } catch {
        status.textContent = `This browser cannot make the ${kind} file.`;
      }
    },
  }, kind);
  return el("p", { class: "downloads" },
    el("span", { class: "small soft" }, "Download"),
    button("SVG", () => new Blob([svgText(drawing())], { type: "image/svg+xml" })),
    button("PNG", () => pngOf(drawing())),
    button("CSV", () => new Blob(["\ufeff", csv()], { type: "text/csv" })),
    status);
}

function offerDownloads() {
  const tables = parseBlock("figure-tables") ?? {};
  for (const figure of document.querySelectorAll("[data-figure]")) {
    const name = figure.dataset.figure;
    figure.append(downloads(name, figure.querySelector("h2").textContent, () => figure.querySelector("svg"), () => tables[name]));
  }
}
