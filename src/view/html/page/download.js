/* What the page can be saved as: stacks, a table, a picture of the view. The served page also offers the profile itself. */

/* [name, use, end of the file's name, its Blob or a promise of it]; only what the view allows. */
function downloadsOf(app) {
	const text = (type, content) => new Blob([content], { type });
	const view = document.getElementById("view-" + app.state.view);
	const canvas = view.querySelector("canvas");
	const svg = view.querySelector(".graph svg");
	return [
		["Folded stacks", "for flame graphs of other tools", "folded", () => text("text/plain", app.folded())],
		["speedscope", "for speedscope.app", "speedscope.json", () => text("application/json", speedscopeText(app))],
		["Table", "functions with self and total values, for spreadsheets", "csv", () => text("text/csv", tableText(app))],
		...(svg ? [["Picture", "the graph, whole", "svg", () => text("image/svg+xml", pictureText(svg))]] : []),
		...(canvas && !svg
			? [["Picture", "of what is in view", "png", () => new Promise((done) => canvas.toBlob(done, "image/png"))]]
			: []),
	];
}

async function saveFile(name, making) {
	const link = element("a", { href: URL.createObjectURL(await making), download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/* A field of CSV, as in RFC 4180. Names that begin like formulas are texts for spreadsheets, too. */
function csvField(value) {
	const text = /^[=+\-@\t\r]/.test(value) && typeof value === "string" ? "'" + value : String(value);
	return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/* The functions of the view, the largest self value first; values in the unit of the event. */
function tableText(app) {
	const { keys, sums } = app.model;
	const rows = keys.name.map((_, k) => k).filter((k) => sums.cum[k] && keys.isListed(k));
	rows.sort((a, b) => sums.flat[b] - sums.flat[a] || sums.cum[b] - sums.cum[a] || a - b);
	const lines = rows.map((k) => [keys.name[k], keys.object(k), keys.file(k), sums.flat[k], sums.cum[k]]);
	return [["function", "object", "file", "self", "total"], ...lines]
		.map((line) => line.map(csvField).join(",") + "\r\n")
		.join("");
}

/* The stacks of the view in the file format of speedscope, as one profile of samples. */
function speedscopeText(app) {
	const l = app.model.down;
	const { keys } = app.model;
	const frameOf = new Map();
	const frames = [];
	const samples = [];
	const weights = [];
	const path = [];
	for (let i = 1; i < l.n; i++) {
		const key = l.key[i];
		if (!frameOf.has(key)) {
			const file = keys.file(key) || keys.object(key);
			frameOf.set(key, frames.length);
			frames.push({ name: keys.name[key], ...(file ? { file } : {}) });
		}
		path.length = l.depth[i] - 1;
		path.push(frameOf.get(key));
		if (l.self[i] > 0) {
			samples.push([...path]);
			weights.push(l.self[i]);
		}
	}
	const plain = plainUnit(app.p.head, app.state);
	const unit = ["nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"].includes(plain) ? plain : "none";
	const name = app.p.head.title;
	const endValue = weights.reduce((a, b) => a + b, 0);
	return JSON.stringify({
		$schema: "https://www.speedscope.app/file-format-schema.json",
		exporter: "strobe",
		name,
		shared: { frames },
		profiles: [{ type: "sampled", name, unit, startValue: 0, endValue, samples, weights }],
	});
}

/* An SVG of its own: what the style of the page says is written to the elements. */
function pictureText(svg) {
	const copy = svg.cloneNode(true);
	const styled = ["fill", "stroke", "stroke-width", "stroke-dasharray", "paint-order", "font-size", "font-family"];
	const from = svg.querySelectorAll("*");
	copy.querySelectorAll("*").forEach((e, i) => {
		const style = getComputedStyle(from[i]);
		e.removeAttribute("style");
		styled.forEach((name) => e.setAttribute(name, style.getPropertyValue(name)));
	});
	const [x, y, width, height] = svg.getAttribute("viewBox").split(" ");
	copy.prepend(svgElement("rect", { x, y, width, height, fill: cssVar("--surface") }));
	return new XMLSerializer().serializeToString(copy);
}
