/* A table of any number of rows: only those in view are elements. */

const LINE = 24;
const NAME_LETTER = 7.3; /* width of a letter of names, pixels, at most */
const SWATCH = 3; /* letters that a swatch takes */

function element(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (name.startsWith("on")) {
			e.addEventListener(name.slice(2), value);
		} else if (value !== undefined && value !== null && value !== false) {
			e.setAttribute(name, value);
		}
	}
	e.append(...children);
	return e;
}

class VirtualTable {
	/* columns: [{ title, cls, sort, cell(row, element) }]; rows: array; onRow(row), onKey(event, row) */
	constructor(host, options) {
		this.options = options;
		this.rows = [];
		this.current = 0;
		this.head = element("div", { role: "row", class: "vt-head" });
		this.body = element("div", { role: "rowgroup", class: "vt-body" });
		this.box = element(
			"div",
			{
				role: options.tree ? "treegrid" : "grid",
				class: "vt " + (options.cls || ""),
				tabindex: "0",
				"aria-label": options.label,
			},
			this.head,
			this.body,
		);
		host.append(this.box);
		options.columns.forEach((c, n) => {
			const head = element("div", {
				role: "columnheader",
				class: c.cls,
				"aria-sort": c.sort ? "none" : undefined,
			});
			if (c.resize) {
				this.addHandle(head, c.resize);
			}
			if (c.sort) {
				head.append(
					element(
						"button",
						{ type: "button", onclick: () => options.onSort(n) },
						c.title,
					),
				);
			} else {
				head.append(c.title);
			}
			this.head.append(head);
		});
		this.box.addEventListener("scroll", () => this.draw());
		this.box.addEventListener("keydown", (e) => this.pressed(e));
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	/* Columns whose width is a property of the table can be dragged at their right edge; a double click resets the width. */
	addHandle(head, property) {
		const handle = element("span", { class: "handle", "aria-hidden": "true" });
		head.classList.add("resizable");
		handle.addEventListener("pointerdown", (e) => {
			e.preventDefault();
			handle.setPointerCapture(e.pointerId);
			const from = e.clientX - head.offsetWidth;
			handle.onpointermove = (m) => {
				this.box.style.setProperty(property, Math.max(48, m.clientX - from) + "px");
				this.draw();
			};
		});
		handle.addEventListener("pointerup", () => (handle.onpointermove = null));
		handle.addEventListener("dblclick", () => this.box.style.removeProperty(property));
		handle.addEventListener("click", (e) => e.stopPropagation());
		head.append(handle);
	}

	set(rows, sorted, descending) {
		this.rows = rows;
		this.current = Math.min(this.current, Math.max(0, rows.length - 1));
		[...this.head.children].forEach((head, n) => {
			if (head.hasAttribute("aria-sort")) {
				head.setAttribute(
					"aria-sort",
					n === sorted ? (descending ? "descending" : "ascending") : "none",
				);
			}
		});
		this.box.setAttribute("aria-rowcount", rows.length + 1);
		this.body.style.height = rows.length * LINE + "px";
		this.draw();
	}

	/* Letters that the column of names has room for. */
	get letters() {
		const width = this.head.querySelector(".c-name").clientWidth - 16;
		return Math.floor(width / NAME_LETTER) || 1000;
	}

	draw() {
		this.nameLetters = this.options.columns.some((c) => c.cls === "c-name") ? this.letters : 0;
		const first = Math.max(0, Math.floor((this.box.scrollTop - LINE) / LINE) - 4);
		const last = Math.min(this.rows.length, first + Math.ceil(this.box.clientHeight / LINE) + 10);
		const lines = [];
		for (let i = first; i < last; i++) {
			lines.push(this.line(i));
		}
		this.body.replaceChildren(...lines);
	}

	line(i) {
		const row = this.rows[i];
		const line = element("div", {
			role: "row",
			class: "vt-row" + (i === this.current ? " current" : ""),
			"aria-rowindex": i + 2,
			"aria-selected": i === this.current ? "true" : "false",
		});
		line.style.top = i * LINE + "px";
		if (this.options.attributes) {
			for (const [name, value] of Object.entries(this.options.attributes(row))) {
				line.setAttribute(name, value);
			}
		}
		for (const c of this.options.columns) {
			const cell = element("div", { role: "gridcell", class: c.cls });
			c.cell(row, cell);
			line.append(cell);
		}
		line.addEventListener("click", (e) => this.choose(i, e));
		line.addEventListener("dblclick", (e) => this.options.onOpen && this.options.onOpen(row, e));
		return line;
	}

	choose(i, e) {
		this.current = i;
		this.draw();
		if (this.options.onRow) {
			this.options.onRow(this.rows[i], e);
		}
	}

	show(i) {
		this.current = i;
		const y = i * LINE;
		if (y < this.box.scrollTop || y > this.box.scrollTop + this.box.clientHeight - 2 * LINE) {
			this.box.scrollTop = Math.max(0, y - this.box.clientHeight / 2);
		}
		this.draw();
	}

	pressed(e) {
		const page = Math.max(1, Math.floor(this.box.clientHeight / LINE) - 2);
		const steps = {
			ArrowDown: 1,
			ArrowUp: -1,
			PageDown: page,
			PageUp: -page,
			Home: -Infinity,
			End: Infinity,
		};
		const row = this.rows[this.current];
		if (this.options.onKey && row && this.options.onKey(e, row, this.current)) {
			e.preventDefault();
		} else if (steps[e.key]) {
			e.preventDefault();
			const to = Math.min(Math.max(0, this.current + steps[e.key]), this.rows.length - 1);
			if (to >= 0) {
				this.show(to);
				if (this.options.onRow) {
					this.options.onRow(this.rows[to], e);
				}
			}
		} else if (e.key === "Enter" && row && this.options.onOpen) {
			this.options.onOpen(row, e);
		}
	}
}

/* A number on a bar that shows its share: kind is "self" or "total". */
function valueCell(cell, value, total, unit, kind) {
	const share = total ? Math.min(1, Math.abs(value) / Math.abs(total)) : 0;
	cell.classList.add("bar-cell", kind || "self");
	cell.classList.toggle("less-bar", value < 0);
	cell.style.setProperty("--share", (share * 100).toFixed(2) + "%");
	cell.append(value ? formatValue(value, unit) : "\u00b7");
}

function swatch(colour) {
	const s = element("span", { class: "swatch", "aria-hidden": "true" });
	s.style.background = colour;
	return s;
}

class TopView {
	constructor(host, app) {
		this.app = app;
		this.sorted = 0;
		this.descending = true;
		this.colours = new Colours();
		const s = () => app.model;
		this.values = [
			(k) => s().sums.flat[k],
			(k) => s().sums.flat[k],
			(k) => s().sums.cum[k],
			(k) => s().sums.cum[k],
			(k) => s().sums.cum[k] - s().sums.cumBefore[k] * s().scale,
			(k) => s().keys.name[k],
			(k) => s().keys.object(k),
		];
		const share = (value) => (k, cell) => cell.append(formatShare(value(k), app.model.total));
		this.table = new VirtualTable(host, {
			label: "Functions",
			cls: "top",
			columns: [
				{
					title: "Self",
					cls: "c-value",
					sort: true,
					cell: (k, c) => valueCell(c, s().sums.flat[k], s().total, app.unit),
				},
				{ title: "Self %", cls: "c-share", sort: true, cell: share((k) => s().sums.flat[k]) },
				{
					title: "Total",
					cls: "c-value",
					sort: true,
					cell: (k, c) => valueCell(c, s().sums.cum[k], s().total, app.unit, "total"),
				},
				{ title: "Total %", cls: "c-share", sort: true, cell: share((k) => s().sums.cum[k]) },
				{ title: "Change", cls: "c-change", sort: true, cell: (k, c) => this.change(k, c) },
				{ title: "Function", cls: "c-name", sort: true, resize: "--name", cell: (k, c) => this.name(k, c) },
				{
					title: "Object",
					cls: "c-object",
					sort: true,
					resize: "--object",
					cell: (k, c) => c.append(s().keys.object(k)),
				},
			],
			onSort: (n) => this.sort(n),
			onRow: (k) => app.select(k, app.describeKey(k)),
			onOpen: (k) => app.openSandwich(k),
		});
	}

	name(k, cell) {
		const hits = this.app.searchHits;
		const keys = this.app.model.keys;
		cell.append(
			swatch(this.colours.of(k)),
			element(
				"span",
				{ class: hits && hits[k] ? "hit" : "", title: keys.name[k] },
				shortName(keys.name[k], this.table.nameLetters - SWATCH),
			),
		);
	}

	change(k, cell) {
		const m = this.app.model;
		const delta = m.hasBase ? this.values[4](k) : 0;
		if (delta) {
			cell.append(
				element("span", { class: delta > 0 ? "more" : "less" }, formatChange(delta, m.total)),
			);
		}
	}

	/* The object is beside the function: the column of names is as wide as those in view require, unless it is dragged. */
	fitNames(rows) {
		const { keys } = this.app.model;
		const longest = rows.slice(0, 200).reduce((most, k) => Math.max(most, keys.name[k].length), 12);
		this.table.box.style.setProperty("--name-letters", Math.min(longest, 90));
	}

	sort(n) {
		this.descending = n === this.sorted ? !this.descending : n < 5;
		this.sorted = n;
		this.app.state.sort = n === 2 || n === 3 ? "cum" : "flat";
		this.app.saveState();
		this.update();
	}

	/* The order in the URL, if it is not that of the table. */
	followAddress() {
		const isCum = this.sorted === 2 || this.sorted === 3;
		if ((this.app.state.sort === "cum") !== isCum) {
			this.sorted = isCum ? 0 : 2;
			this.descending = true;
		}
	}

	update() {
		const m = this.app.model;
		const keys = m.keys;
		const rows = [];
		this.followAddress();
		this.colours.reset(keys, this.app.state.colour);
		this.table.box.classList.toggle("with-base", m.hasBase);
		for (let k = 0; k < keys.name.length; k++) {
			const shown = m.isShown(m.sums.flat[k], m.sums.cum[k]) || m.sums.cumBefore[k];
			if (shown && keys.isListed(k) && (!this.app.searchHits || this.app.searchHits[k])) {
				rows.push(k);
			}
		}
		const value = this.values[this.sorted];
		const sign = this.descending ? -1 : 1;
		/* large decreases are sorted with large increases, as in pprof; changes are sorted by value */
		const size = this.sorted === 4 ? value : (k) => Math.abs(value(k));
		const tie = (a, b) => m.sums.cum[b] - m.sums.cum[a] || a - b;
		rows.sort(
			this.sorted >= 5
				? (a, b) => sign * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) || tie(a, b)
				: (a, b) => sign * (size(a) - size(b)) || tie(a, b),
		);
		this.fitNames(rows);
		this.table.set(rows, this.sorted, this.descending);
	}
}
