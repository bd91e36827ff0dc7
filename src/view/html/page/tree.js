/* The call tree as rows that open and close, and the sandwich view: a function between its callers and its callees. */

class TreeView {
	constructor(host, app) {
		this.app = app;
		/* Open rows, by their path: they stay open in another layout, which has other places. */
		this.ways = new Trie(0, 0);
		this.open = new Set([0]);
		this.colours = new Colours();
		this.table = new VirtualTable(host, {
			label: "Call tree",
			cls: "tree",
			tree: true,
			columns: [
				{
					title: "Total",
					cls: "c-value",
					cell: (r, c) => valueCell(c, this.layout.total[r.i], app.model.total, app.unit, "total"),
				},
				{
					title: "%",
					cls: "c-share",
					cell: (r, c) => c.append(formatShare(this.layout.total[r.i], app.model.total)),
				},
				{
					title: "Self",
					cls: "c-self",
					cell: (r, c) =>
						c.append(
							this.layout.self[r.i]
								? formatValue(this.layout.self[r.i], app.unit)
								: "\u00b7",
						),
				},
				{ title: "Change", cls: "c-change", cell: (r, c) => this.change(r, c) },
				{ title: "Function", cls: "c-name", cell: (r, c) => this.name(r, c) },
			],
			attributes: (r) => ({
				"aria-level": this.layout.depth[r.i] + 1,
				...(r.leaf ? {} : { "aria-expanded": String(this.open.has(r.way)) }),
			}),
			onRow: (r, e) => this.chosen(r, e),
			onOpen: (r) => this.toggle(r),
			onKey: (e, r, n) => this.pressed(e, r, n),
		});
	}

	chosen(r, e) {
		const l = this.layout;
		if (e.target.closest && e.target.closest(".twist")) {
			this.toggle(r);
		}
		this.app.select(
			l.key[r.i],
			this.app.describe(l.key[r.i], l.total[r.i], l.self[r.i], l.before[r.i]),
		);
	}

	change(r, cell) {
		const m = this.app.model;
		const delta = m.hasBase ? this.layout.total[r.i] - this.layout.before[r.i] * m.scale : 0;
		if (delta) {
			cell.append(
				element("span", { class: delta > 0 ? "more" : "less" }, formatChange(delta, m.total)),
			);
		}
	}

	name(r, cell) {
		const key = this.layout.key[r.i];
		const twist = element(
			"span",
			{ class: "twist", "aria-hidden": "true" },
			r.leaf ? "" : this.open.has(r.way) ? "\u25be" : "\u25b8",
		);
		const { keys } = this.layout;
		const pad = element("span", { class: "pad" });
		const letters = this.table.nameLetters - 2 * (Math.min(this.layout.depth[r.i], 60) + SWATCH) - keys.object(key).length;
		pad.style.setProperty("--depth", Math.min(this.layout.depth[r.i], 60));
		const hit = this.app.searchHits && this.app.searchHits[key];
		cell.append(
			pad,
			twist,
			swatch(this.colours.of(key)),
			element("span", { class: hit ? "hit" : "", title: keys.name[key] }, shortName(keys.name[key], letters)),
			element("span", { class: "faint" }, " " + keys.object(key)),
		);
	}

	toggle(r) {
		if (this.open.has(r.way)) {
			this.open.delete(r.way);
		} else {
			this.open.add(r.way);
			this.openOnly(r);
		}
		this.update();
	}

	/* A row with only one callee opens together with it. */
	openOnly(r) {
		const l = this.layout;
		let { i, way } = r;
		for (let only = calleesOf(l, i); only.length === 1; only = calleesOf(l, i)) {
			i = only[0];
			way = this.ways.child(way, l.key[i]);
			this.open.add(way);
		}
	}

	pressed(e, r, n) {
		const isOpen = this.open.has(r.way);
		if ((e.key === "ArrowRight" && !r.leaf && !isOpen) || (e.key === "ArrowLeft" && isOpen && !r.leaf)) {
			this.toggle(r);
		} else if (e.key === "ArrowLeft") {
			const depth = this.layout.depth[r.i];
			while (n > 0 && this.layout.depth[this.table.rows[n].i] >= depth) {
				n--;
			}
			this.table.show(n);
		} else {
			return false;
		}
		return true;
	}

	/* The hottest path is opened, once per profile. */
	openHottest() {
		const l = this.layout;
		let i = 0;
		let way = 0;
		for (let n = 0; n < 40; n++) {
			const best = largestCallee(l, i);
			if (best < 0 || l.size[best] < l.size[0] * 0.05) {
				break;
			}
			way = this.ways.child(way, l.key[best]);
			this.open.add(way);
			i = best;
		}
	}

	update() {
		const l = (this.layout = this.app.model.layout(this.app.state));
		this.colours.reset(l.keys, this.app.state.colour);
		this.table.box.classList.toggle("with-base", this.app.model.hasBase);
		if (this.open.size === 1) {
			this.openHottest();
		}
		const rows = [];
		const waiting = [[0, 0]]; /* the largest of its siblings last; not recursive, since stacks may be deep */
		while (waiting.length) {
			const [i, way] = waiting.pop();
			const callees = calleesOf(l, i);
			rows.push({ i, way, leaf: !callees.length });
			if (this.open.has(way)) {
				callees.sort((a, b) => l.size[a] - l.size[b] || b - a);
				callees.forEach((c) => waiting.push([c, this.ways.child(way, l.key[c])]));
			}
		}
		this.table.set(rows);
	}
}

const HALF_HEAD = 32; /* pixels: the heading of a half, and some room */

class SandwichView {
	constructor(host, app) {
		this.app = app;
		this.key = -1;
		this.title = element("h2", { class: "sandwich-title" });
		this.facts = element("div", { class: "sandwich-facts" });
		const callers = element(
			"section",
			{ class: "half", "aria-label": "Callers" },
			element("h3", {}, "Callers"),
		);
		const callees = element(
			"section",
			{ class: "half", "aria-label": "Callees" },
			element("h3", {}, "Callees"),
		);
		this.side = element("div", { class: "side" });
		const share = (title, of) => ({
			title,
			cls: "c-share",
			cell: (k, c) => c.append(formatShare(of(k), app.model.total)),
		});
		const main = element(
			"div",
			{ class: "sandwich-main" },
			element("header", {}, this.title, this.facts),
			callers,
			callees,
		);
		host.append(this.side, main);
		this.callers = new Flame(callers, app, {
			label: "Callers",
			icicle: () => false,
			onPick: (i) => this.pick("callers", i),
		});
		this.callees = new Flame(callees, app, {
			label: "Callees",
			icicle: () => true,
			onPick: (i) => this.pick("callees", i),
		});
		this.list = new VirtualTable(this.side, {
			label: "Functions",
			cls: "list",
			columns: [
				share("Total", (k) => app.model.sums.cum[k]),
				share("Self", (k) => app.model.sums.flat[k]),
				{
					title: "Function",
					cls: "c-name",
					cell: (k, c) =>
						c.append(
							element(
								"span",
								{ title: app.model.keys.name[k] },
								shortName(app.model.keys.name[k], this.list.nameLetters),
							),
						),
				},
			],
			onRow: (k) => this.show(k),
		});
	}

	pick(which, i) {
		this.show(this[which].layout.key[i]);
	}

	show(key) {
		this.key = key;
		this.name = this.app.model.keys.name[key];
		this.app.state.symbol = this.name;
		this.app.saveState();
		this.draw();
	}

	update() {
		const m = this.app.model;
		const rows = [];
		for (let k = 0; k < m.keys.name.length; k++) {
			const shown = m.isShown(m.sums.flat[k], m.sums.cum[k]) && m.keys.isListed(k);
			if (shown && (!this.app.searchHits || this.app.searchHits[k])) {
				rows.push(k);
			}
		}
		rows.sort((a, b) => Math.abs(m.sums.cum[b]) - Math.abs(m.sums.cum[a]) || a - b);
		this.list.set(rows);
		const selected = this.app.state.symbol;
		const isSelected = (k) => m.keys.name[k] === selected && m.sums.cum[k] && m.keys.isListed(k);
		/* Several objects may have a function of this name: the selected one is preferred. */
		this.key = !selected
			? -1
			: isSelected(this.app.chosen)
				? this.app.chosen
				: m.keys.name.findIndex((_, k) => isSelected(k));
		if (this.key < 0 && rows.length) {
			this.key = rows.reduce((best, k) => (m.sums.flat[k] > m.sums.flat[best] ? k : best), rows[0]);
		}
		this.list.current = rows.indexOf(this.key);
		if (this.list.current >= 0) {
			this.list.show(this.list.current);
		}
		this.draw();
	}

	draw() {
		const m = this.app.model;
		if (this.key < 0) {
			this.title.textContent = "No function is left";
			this.facts.textContent = "";
			return;
		}
		const halves = sandwich(m.down, this.key, this.app.state.order);
		this.title.textContent = m.keys.name[this.key];
		this.facts.textContent = [
			m.keys.object(this.key),
			m.keys.file(this.key),
			`self ${formatValue(m.sums.flat[this.key], this.app.unit)} (${formatShare(m.sums.flat[this.key], m.total)})`,
			`total ${formatValue(m.sums.cum[this.key], this.app.unit)} (${formatShare(m.sums.cum[this.key], m.total)})`,
		]
			.filter((s) => s)
			.join("  \u00b7  ");
		/* Callers take the height of their rows, without a gap above them, up to half of the view. */
		this.callers.host.style.flex = `0 1 ${(halves.callers.maxDepth + 1) * ROW + HALF_HEAD}px`;
		this.callers.set(halves.callers, this.app.state.colour);
		this.callees.set(halves.callees, this.app.state.colour);
	}
}
