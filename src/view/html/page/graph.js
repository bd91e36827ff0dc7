/*
 * The call graph, as boxes in layers: callers above callees. Boxes grow with the self value of a function, lines with the value of
 * the calls. Small ones are omitted, as in pprof: by default all but 80 functions, functions with less than 0.5 % of the total,
 * and calls with less than 0.1 %.
 */

const NODES_MOST = 1000; /* the maximum that can be laid out in a moment */
const LEAST_SCALE = 1; /* that letters can be read at */
const GRAPH_FONT = 12;
const NAME_LETTERS = 44;
const LEAST_TEXT = 0.01; /* share of the total, of a call whose value is beside its line */
const GRAPH_EDGE = 14; /* around the graph */

/* A box is a function, or, with call_tree, a function on one call path, which is a node of the layout. */
function boxesOf(model, callTree) {
	const l = model.down;
	const { flat, cum, cumBefore } = model.sums;
	return callTree
		? { nr: l.n, of: (i) => i, key: (id) => l.key[id], flat: l.self, cum: l.total, cumBefore: l.before }
		: { nr: cum.length, of: (i) => l.key[i], key: (id) => id, flat, cum, cumBefore };
}

/* The boxes that are large enough, the largest first. */
function keptBoxes(model, boxes, { nodeCount, nodeFraction }) {
	const { flat, cum } = boxes;
	const least = Math.abs(model.total) * Number(nodeFraction);
	const list = [];
	for (let id = 0; id < boxes.nr; id++) {
		if (Math.abs(cum[id]) >= least && model.isShown(flat[id], cum[id]) && model.keys.isListed(boxes.key(id))) {
			list.push(id);
		}
	}
	const size = (id) => Math.abs(cum[id]) + Math.abs(flat[id]);
	return list
		.sort((a, b) => size(b) - size(a))
		.slice(0, Math.min(Number(nodeCount) || NODES_MOST, NODES_MOST))
		.map((id) => ({ id, key: boxes.key(id), flat: flat[id], cum: cum[id], cumBefore: boxes.cumBefore[id] }));
}

function callGraph(model, state) {
	const l = model.down;
	const boxes = boxesOf(model, state.callTree);
	const list = keptBoxes(model, boxes, state);
	const kept = new Set(list.map((box) => box.id));
	/* The next caller that is kept; an edge counts once on each stack. */
	const edges = new Map();
	const caller = new Int32Array(l.n).fill(-1);
	const path = [];
	const onPath = new Map();
	for (let i = 0; i < l.n; i++) {
		while (path.length && path[path.length - 1].end <= i) {
			const gone = path.pop();
			onPath.set(gone.id, onPath.get(gone.id) - 1);
		}
		const up = l.parent[i] < 0 ? -1 : caller[l.parent[i]];
		const to = boxes.of(i);
		caller[i] = kept.has(to) ? i : up;
		if (caller[i] !== i || up < 0 || boxes.of(up) === to) {
			continue;
		}
		const from = boxes.of(up);
		const id = from * boxes.nr + to;
		const open = onPath.get(id) || 0;
		onPath.set(id, open + 1);
		path.push({ id, end: l.end[i] });
		const edge = edges.get(id) || { from, to, weight: 0, residual: true };
		edge.weight += open ? 0 : l.total[i];
		edge.residual = edge.residual && up !== l.parent[i];
		edges.set(id, edge);
	}
	const least = Math.abs(model.total) * Number(state.edgeFraction);
	const all = [...edges.values()].filter((e) => Math.abs(e.weight) >= least);
	return { boxes: list, edges: all.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight)) };
}

function boxSize(model, { key, flat, cum }, measure, unit) {
	const share = Math.sqrt(Math.abs(flat) / Math.abs(model.total || 1));
	const font = 12 + share * 12;
	const name = model.keys.name[key];
	const short = shortName(name, Math.max(NAME_LETTERS, name.length - 1));
	const text = short.length > NAME_LETTERS ? short.slice(0, NAME_LETTERS / 2) + "\u2026" + short.slice(-NAME_LETTERS / 2) : short;
	const part = (title, v) => `${title} ${formatValue(v, unit)} (${formatShare(v, model.total)})`;
	const values = [...(flat ? [part("self", flat)] : []), part("total", cum)];
	const width = Math.max(measure(text, font), ...values.map((v) => measure(v, GRAPH_FONT))) + 20;
	return { text, values, font, width, height: font + 16 + 16 * values.length };
}

/* Positions of boxes and lines. The value of a thin line is only in its title. */
function arrangeGraph(model, graph, measure, unit) {
	const indexOf = new Map(graph.boxes.map((box, i) => [box.id, i]));
	const boxes = graph.boxes.map((box) => ({ ...box, ...boxSize(model, box, measure, unit) }));
	const total = Math.abs(model.total) || 1;
	const edges = graph.edges.map((edge) => {
		const share = Math.abs(edge.weight) / total;
		const text = share >= LEAST_TEXT ? formatValue(edge.weight, unit) : "";
		const textWidth = text && measure(text, GRAPH_FONT);
		return { from: indexOf.get(edge.from), to: indexOf.get(edge.to), weight: Math.max(share, 1e-3), edge, text, textWidth };
	});
	return { boxes, ...layeredLayout(boxes, edges) };
}

/* From the background to red, as in pprof. */
function costColour(share, dark) {
	const strength = Math.sqrt(Math.min(1, Math.abs(share)));
	const hue = share < 0 ? 130 : 46 - 40 * strength;
	return `hsl(${hue} ${25 + 60 * strength}% ${dark ? 26 + 18 * strength : 93 - 30 * strength}%)`;
}

class GraphView {
	constructor(host, app) {
		this.app = app;
		this.zoom = 0;
		const button = (text, label, by) =>
			element("button", { type: "button", "aria-label": label, onclick: () => this.scale(by) }, text);
		this.count = element("input", {
			type: "number",
			min: "0",
			max: NODES_MOST,
			title: "0: all that are large enough",
			onchange: (e) => app.change({ nodeCount: String(Math.max(0, e.target.value | 0)) }, true),
		});
		this.callTree = element("input", {
			type: "checkbox",
			onchange: (e) => app.change({ callTree: e.target.checked }, true),
		});
		host.append(
			element(
				"div",
				{ class: "view-bar" },
				button("\u2212", "Smaller", 0.8),
				button("+", "Larger", 1.25),
				button("Fit", "Fit", 0),
				element("label", {}, "Functions ", this.count),
				element(
					"label",
					{ title: "A function is a box for each way that leads to it" },
					this.callTree,
					" By call path",
				),
				element(
					"span",
					{ class: "faint" },
					"Callers above callees; redder is more. Double-click a function for its callers and callees.",
				),
			),
		);
		this.box = element("div", { class: "graph", tabindex: "0", role: "group", "aria-label": "Call graph" });
		host.append(this.box);
		this.measureCanvas = document.createElement("canvas").getContext("2d");
	}

	measure(text, font) {
		this.measureCanvas.font = `${font}px system-ui, sans-serif`;
		return this.measureCanvas.measureText(text).width;
	}

	scale(by) {
		if (!this.size) {
			return;
		}
		const fit = Math.max(LEAST_SCALE, Math.min(1, (this.box.clientWidth - 4) / this.size[0]));
		this.zoom = by ? (this.zoom || fit) * by : fit;
		this.svg.setAttribute("width", this.size[0] * this.zoom);
		this.svg.setAttribute("height", this.size[1] * this.zoom);
	}

	update() {
		const m = this.app.model;
		this.count.value = this.app.state.nodeCount;
		this.callTree.checked = this.app.state.callTree;
		const graph = callGraph(m, this.app.state);
		this.box.replaceChildren();
		this.size = null;
		if (!graph.boxes.length) {
			this.box.append(element("p", { class: "faint pad-all" }, "Nothing is left to be shown."));
			return;
		}
		const plan = arrangeGraph(m, graph, (t, f) => this.measure(t, f), this.app.unit);
		this.size = [plan.width + 2 * GRAPH_EDGE, plan.height + 2 * GRAPH_EDGE];
		const svg = (this.svg = svgElement("svg", {
			viewBox: `${-GRAPH_EDGE} ${-GRAPH_EDGE} ${this.size.join(" ")}`,
			role: "img",
			"aria-label": `Call graph of ${graph.boxes.length} functions`,
		}));
		const most = graph.edges.reduce((a, e) => Math.max(a, Math.abs(e.weight)), 0) || 1;
		const nameOf = new Map(graph.boxes.map((box) => [box.id, m.keys.name[box.key]]));
		/* the heaviest last, over the others */
		[...plan.wires].reverse().forEach((wire) => svg.append(...this.wire(wire, most, nameOf)));
		plan.boxes.forEach((n) => svg.append(this.node(n)));
		this.box.append(svg);
		this.scale(0);
		/* The heaviest function without callers is in view first. */
		const first = plan.boxes.filter((n) => n.y < 1).reduce((a, n) => (n.cum > a.cum ? n : a), plan.boxes[0]);
		this.box.scrollLeft = (first.x + first.width / 2 + GRAPH_EDGE) * this.zoom - this.box.clientWidth / 2;
	}

	wire({ edge: { edge, text }, back, points, text: spot }, most, nameOf) {
		const m = this.app.model;
		const share = Math.abs(edge.weight) / most;
		const width = 1 + share * 7;
		/* The arrow ends at the box, the line where the arrow begins. */
		const end = back ? 0 : points.length - 1;
		const [x, y] = points[end];
		const slope = slopesOf(points)[end];
		const length = 6 + width;
		const [dx, dy] = [slope, 1].map((v) => (v / Math.hypot(slope, 1)) * (back ? length : -length));
		const half = (2.5 + width * 0.8) / length;
		const base = [x + dx, y + dy];
		const tip = svgElement("path", {
			d: `M ${x} ${y} L ${base[0] - dy * half} ${base[1] + dx * half} L ${base[0] + dy * half} ${base[1] - dx * half} z`,
			class: "tip",
		});
		const line = svgElement("path", {
			d: smoothPath(points.map((p, i) => (i === end ? base : p))),
			class: "wire" + (edge.residual ? " residual" : ""),
			"stroke-width": width.toFixed(1),
		});
		const title = svgElement("title", {});
		title.textContent =
			`${nameOf.get(edge.from)} calls ${nameOf.get(edge.to)}: ` +
			formatValue(edge.weight, this.app.unit) +
			` (${formatShare(edge.weight, m.total)})`;
		line.append(title);
		for (const part of [line, tip]) {
			part.style.setProperty("--share", `${Math.round(30 + 60 * Math.sqrt(share))}%`);
		}
		if (!spot) {
			return [line, tip];
		}
		const value = svgElement("text", { x: spot.x + 4 + width / 2, y: spot.y + 4.5, class: "wire-text" });
		value.textContent = text;
		return [line, tip, value];
	}

	node(n) {
		const m = this.app.model;
		const group = svgElement("g", {
			class: "box" + (this.app.searchHits && this.app.searchHits[n.key] ? " hit" : ""),
			tabindex: "0",
			role: "button",
			"aria-label": `${m.keys.name[n.key]}, ${n.values.join(", ")}`,
		});
		const rect = svgElement("rect", { x: n.x, y: n.y, width: n.width, height: n.height, rx: 5 });
		rect.style.fill = changeColour(m, n.cum, n.cumBefore, isDark()) || costColour(n.cum / (m.total || 1), isDark());
		const name = svgElement("text", {
			x: n.x + n.width / 2,
			y: n.y + n.font + 4,
			"font-size": n.font,
			"text-anchor": "middle",
		});
		name.textContent = n.text;
		const values = n.values.map((text, line) => {
			const at = { x: n.x + n.width / 2, y: n.y + n.font + 20 + 16 * line };
			const value = svgElement("text", { ...at, "font-size": GRAPH_FONT, "text-anchor": "middle" });
			value.textContent = text;
			return value;
		});
		const description = () => this.app.describe(n.key, n.cum, n.flat, n.cumBefore);
		group.append(rect, name, ...values);
		group.addEventListener("click", () => this.app.select(n.key, description()));
		group.addEventListener("dblclick", () => this.app.openSandwich(n.key));
		group.addEventListener("keydown", (e) => e.key === "Enter" && this.app.openSandwich(n.key));
		group.addEventListener("mousemove", (e) => this.app.tooltip(e, description()));
		group.addEventListener("mouseleave", () => this.app.tooltip(null));
		return group;
	}
}

function svgElement(tag, attributes) {
	const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
	for (const [name, value] of Object.entries(attributes)) {
		e.setAttribute(name, value);
	}
	return e;
}
