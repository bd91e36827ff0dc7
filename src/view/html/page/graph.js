/*
 * The call graph, as boxes in layers: callers above callees. Boxes grow with the self value of a function, lines with the value of
 * the calls. Small ones are omitted, as in pprof: by default all but 80 functions, functions with less than 0.5 % of the total,
 * and calls with less than 0.1 %.
 */

const NODES_MOST = 1000; /* the maximum that can be laid out in a moment */
const LEAST_SCALE = 1; /* that letters can be read at */
const GRAPH_FONT = 12;
const WIRE_TEXT = 90; /* room at the right for the labels of the last edges */
const GRAPH_GAP = 66; /* between layers: room for the labels of edges */

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

/* Layers by the longest path from a function without callers; the lightest edge of a cycle is reversed. */
function layerGraph(graph) {
	const nodes = new Map(graph.boxes.map((box) => [box.id, { ...box, out: [], in: [], layer: 0 }]));
	const reaches = (from, to, seen = new Set()) => {
		if (from === to) {
			return true;
		}
		seen.add(from);
		return nodes.get(from).out.some((e) => !seen.has(e.end) && reaches(e.end, to, seen));
	};
	for (const e of graph.edges) {
		const back = reaches(e.to, e.from);
		const link = { edge: e, start: back ? e.to : e.from, end: back ? e.from : e.to, back };
		nodes.get(link.start).out.push(link);
		nodes.get(link.end).in.push(link);
	}
	const done = new Set();
	const layerOf = (n) => {
		if (!done.has(n)) {
			done.add(n);
			n.layer = n.in.reduce((most, e) => Math.max(most, layerOf(nodes.get(e.start)) + 1), 0);
		}
		return n.layer;
	};
	nodes.forEach(layerOf);
	return nodes;
}

function boxSize(model, { key, flat, cum }, measure, unit) {
	const share = Math.sqrt(Math.abs(flat) / Math.abs(model.total || 1));
	const font = 12 + share * 12;
	const name = model.keys.name[key];
	const text = name.length > 46 ? name.slice(0, 22) + "\u2026" + name.slice(-22) : name;
	const part = (title, v) => `${title} ${formatValue(v, unit)} (${formatShare(v, model.total)})`;
	const values = [...(flat ? [part("self", flat)] : []), part("total", cum)];
	const width = Math.max(measure(text, font), ...values.map((v) => measure(v, GRAPH_FONT))) + 20;
	return { text, values, font, width, height: font + 16 + 16 * values.length };
}

/* Layers with places for passing edges; each layer is sorted by its neighbours, downwards and upwards, several times. */
function arrange(model, nodes, measure, unit) {
	const layers = [];
	const put = (layer, item) => (layers[layer] = layers[layer] || []).push(item);
	const wires = [];
	nodes.forEach((n) => {
		Object.assign(n, boxSize(model, n, measure, unit), { up: [], down: [] });
		put(n.layer, n);
	});
	nodes.forEach((n) =>
		n.out.forEach((link) => {
			const points = [n];
			const end = nodes.get(link.end);
			for (let layer = n.layer + 1; layer < end.layer; layer++) {
				const dummy = { width: 10, height: 0, up: [], down: [], layer };
				put(layer, dummy);
				points.push(dummy);
			}
			points.push(end);
			for (let i = 1; i < points.length; i++) {
				points[i - 1].down.push(points[i]);
				points[i].up.push(points[i - 1]);
			}
			wires.push({ link, points });
		}),
	);
	layers.forEach((layer) => layer.sort((a, b) => (b.cum || 0) - (a.cum || 0)));
	const number = () =>
		layers.forEach((layer) =>
			layer.forEach((n, i) => {
				n.place = i / layer.length;
			}),
		);
	number();
	for (let sweep = 0; sweep < 12; sweep++) {
		const side = sweep % 2 ? "down" : "up";
		const order = sweep % 2 ? [...layers].reverse() : layers;
		for (const layer of order) {
			layer.forEach((n) => {
				n.target = n[side].length
					? n[side].reduce((a, m) => a + m.place, 0) / n[side].length
					: n.place;
			});
			layer.sort((a, b) => a.target - b.target);
			layer.forEach((n, i) => {
				n.place = i / layer.length;
			});
		}
	}
	return { layers, wires, ...placeBoxes(layers) };
}

function placeBoxes(layers) {
	const gap = 26;
	let y = 14;
	for (const layer of layers) {
		let x = 0;
		for (const n of layer) {
			n.x = x;
			x += n.width + gap;
		}
		const height = layer.reduce((a, n) => Math.max(a, n.height), 0);
		layer.forEach((n) => {
			n.y = y + (height - n.height) / 2;
		});
		y += height + GRAPH_GAP;
	}
	const centre = (n) => n.x + n.width / 2;
	/* Towards their callers and callees, as far as adjacent boxes allow. */
	for (let sweep = 0; sweep < 40; sweep++) {
		for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
			const move = (n, i) => {
				const near = sweep % 4 < 2 ? [...n.up, ...n.down] : sweep % 2 ? n.down : n.up;
				if (!near.length) {
					return;
				}
				const target = near.reduce((a, m) => a + centre(m), 0) / near.length - n.width / 2;
				const low = i ? layer[i - 1].x + layer[i - 1].width + gap : -Infinity;
				const high = i + 1 < layer.length ? layer[i + 1].x - n.width - gap : Infinity;
				n.x = Math.min(high, Math.max(low, target));
			};
			layer.forEach(move);
			for (let i = layer.length - 1; i >= 0; i--) {
				move(layer[i], i);
			}
		}
	}
	const all = layers.flat();
	const left = all.reduce((a, n) => Math.min(a, n.x), Infinity) - 14;
	all.forEach((n) => {
		n.x -= left;
	});
	return { width: all.reduce((a, n) => Math.max(a, n.x + n.width), 0) + WIRE_TEXT, height: y - GRAPH_GAP + 24 };
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
		const plan = arrange(m, layerGraph(graph), (t, f) => this.measure(t, f), this.app.unit);
		const svg = (this.svg = svgElement("svg", {
			viewBox: `0 0 ${plan.width} ${plan.height}`,
			role: "img",
			"aria-label": `Call graph of ${graph.boxes.length} functions`,
		}));
		this.labels = []; /* of edges, the heaviest first: they are placed first */
		plan.wires.sort((a, b) => Math.abs(b.link.edge.weight) - Math.abs(a.link.edge.weight));
		const most = graph.edges.reduce((a, e) => Math.max(a, Math.abs(e.weight)), 0) || 1;
		const nameOf = new Map(graph.boxes.map((box) => [box.id, m.keys.name[box.key]]));
		plan.wires.forEach((wire) => svg.append(...this.wire(wire, most, nameOf)));
		plan.layers
			.flat()
			.filter((n) => n.key !== undefined)
			.forEach((n) => svg.append(this.node(n)));
		this.size = [plan.width, plan.height];
		this.box.append(svg);
		this.scale(0);
		/* The heaviest function without callers is in view first. */
		const first = plan.layers[0].reduce((a, n) => (n.cum > a.cum ? n : a));
		this.box.scrollLeft = (first.x + first.width / 2) * this.zoom - this.box.clientWidth / 2;
	}

	wire({ link, points }, most, nameOf) {
		const m = this.app.model;
		const share = Math.abs(link.edge.weight) / most;
		let d = "";
		for (let i = 0; i < points.length; i++) {
			const n = points[i];
			const x = n.x + n.width / 2;
			const y = i === 0 ? n.y + n.height : n.y;
			if (i) {
				const before = points[i - 1];
				const from = before.y + before.height;
				d += ` C ${before.x + before.width / 2} ${(from + y) / 2}, ${x} ${(from + y) / 2}, ${x} ${y}`;
			} else {
				d = `M ${x} ${y}`;
			}
		}
		const line = svgElement("path", {
			d,
			class: "wire" + (link.edge.residual ? " residual" : ""),
			"stroke-width": (1 + share * 7).toFixed(1),
			"stroke-opacity": (0.35 + share * 0.5).toFixed(2),
		});
		const title = svgElement("title", {});
		title.textContent =
			`${nameOf.get(link.edge.from)} calls ${nameOf.get(link.edge.to)}: ` +
			formatValue(link.edge.weight, this.app.unit) +
			` (${formatShare(link.edge.weight, m.total)})`;
		line.append(title);
		const [a, b] = points;
		const end = link.back ? points[0] : points[points.length - 1];
		const tipX = end.x + end.width / 2;
		const tipY = link.back ? end.y + end.height : end.y;
		const dy = link.back ? 7 : -7;
		const tip = svgElement("path", { d: `M ${tipX} ${tipY} l -4 ${dy} l 8 0 z`, class: "tip" });
		/* The value of a thin line is only in its title. */
		const text = Math.abs(link.edge.weight) >= Math.abs(m.total) * 0.02 && this.wireText(a, b, link.edge.weight);
		return text ? [line, tip, text] : [line, tip];
	}

	/* A position along the line with room for it, if any. */
	wireText(a, b, weight) {
		const label = formatValue(weight, this.app.unit);
		const width = this.measure(label, GRAPH_FONT);
		const [x0, x1] = [a.x + a.width / 2, b.x + b.width / 2];
		const [y0, y1] = [a.y + a.height, b.y];
		for (const t of [0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8]) {
			const s = t * t * (3 - 2 * t); /* x of the curve, whose ends are upright */
			const y = y0 + (y1 - y0) * (1.5 * t * (1 - t) * (1 - t) + 1.5 * t * t * (1 - t) + t * t * t);
			const place = { x: x0 + (x1 - x0) * s + 5, y: y + 4, width };
			const meets = (p) => Math.abs(p.y - place.y) < 14 && p.x < place.x + width + 4 && place.x < p.x + p.width + 4;
			if (!this.labels.some(meets)) {
				this.labels.push(place);
				const text = svgElement("text", { x: place.x, y: place.y, class: "wire-text" });
				text.textContent = label;
				return text;
			}
		}
		return null;
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
