/*
 * A time chart: a row for each CPU and each task, on a canvas. The cost of a picture depends on its pixels,
 * not on the number of intervals: rows are painted into an array of pixels; intervals that share a column divide its height by state.
 *
 * Times are nanoseconds since the chart began; x of pixels.
 */

const CHART_ROW = 22;
const CHART_BAR = 16;
const CHART_TOP = 52; /* the overview and the axis */
const CHART_OVERVIEW = 28;
const CHART_NAME = 230; /* at most; a third of a narrow window */
const CHART_LABEL_FONT = "11px system-ui, sans-serif";
const LEAST_SPAN_NS = 50;
const WAKES_SHOWN = 500;
const LABELS_SHOWN = 600;

class Chart {
	constructor(host, app, data, options) {
		this.app = app;
		this.data = data;
		this.options = options;
		this.view = [0, data.ns];
		this.order = "activity";
		this.query = "";
		this.wakes = true;
		this.selected = -1; /* span */
		this.row = 0; /* where the keyboard is */
		this.painter = new SpanPainter();
		this.host = host;
		this.makeBar();
		this.makeCanvas();
		this.makeRows();
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	/* ---- elements ---- */

	makeBar() {
		const button = (text, label, act) =>
			element("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
		this.search = element("input", {
			type: "search",
			placeholder: "Search tasks",
			"aria-label": "Search tasks",
			spellcheck: "false",
			autocomplete: "off",
			oninput: (e) => this.searchFor(e.target.value),
		});
		this.wakeBox = element("input", { type: "checkbox", checked: "", onchange: (e) => this.setWakes(e.target.checked) });
		this.orderBox = element(
			"select",
			{ "aria-label": "Order of tasks", onchange: (e) => this.setOrder(e.target.value) },
			element("option", { value: "activity" }, "busiest first"),
			element("option", { value: "start" }, "by first event"),
			element("option", { value: "name" }, "by name"),
			element("option", { value: "tid" }, "by thread ID"),
		);
		const used = KINDS.map(([name, colour], kind) => [name, colour, kind]).filter(([, , kind]) => this.isUsed(kind));
		this.bar = element(
			"div",
			{ class: "view-bar" },
			this.search,
			this.orderBox,
			button("\u2212", "Zoom out (\u2212)", () => this.zoomBy(1.6)),
			button("+", "Zoom in (+)", () => this.zoomBy(1 / 1.6)),
			button("Whole", "All of the time (0)", () => this.show([0, this.data.ns])),
			element("label", { title: "Lines from the waker to the task that it woke (w)" }, this.wakeBox, "Wakeups"),
			...(this.options.onSpan
				? [button("Filter", "Count in all views only the time that is shown", () => this.options.onSpan(this.view))]
				: []),
			element("span", { class: "chart-legend" }, ...used.map(([name, colour]) => this.legendEntry(name, colour))),
		);
		this.host.append(this.bar);
	}

	legendEntry(name, colour) {
		const s = swatch(`var(${colour})`);
		return element("span", {}, s, name);
	}

	isUsed(kind) {
		for (let t = 0; t < this.data.tasks; t++) {
			if (this.data.sum(t, kind)) {
				return true;
			}
		}
		return false;
	}

	makeCanvas() {
		this.box = element("div", {
			class: "lanes chart",
			tabindex: "0",
			role: "group",
			"aria-label": "Time chart; arrows move, plus and minus zoom, Shift and arrows choose an interval",
		});
		this.canvas = element("canvas", { "aria-hidden": "true" });
		this.sticky = element("div", { class: "lanes-sticky" }, this.canvas);
		this.spacer = element("div");
		this.info = new ChartInfo(this);
		this.box.append(this.sticky, this.spacer);
		this.host.append(element("div", { class: "chart-main" }, this.box, this.info.box));
		this.box.addEventListener("scroll", () => this.draw());
		this.box.addEventListener("keydown", (e) => this.pressed(e));
		this.canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
		this.canvas.addEventListener("pointerdown", (e) => this.pointerDown(e));
		this.canvas.addEventListener("pointermove", (e) => this.pointerMove(e));
		this.canvas.addEventListener("pointerup", (e) => this.pointerUp(e));
		this.canvas.addEventListener("pointerleave", () => this.app.tooltip(null));
		this.canvas.addEventListener("dblclick", () => this.zoomToSelected());
	}

	/* ---- rows ---- */

	/* Threads follow their process, whose place is that of its best thread. */
	makeRows() {
		const d = this.data;
		const value = {
			activity: (t) => -d.sum(t, RUNNING) - d.sum(t, WAITING) * 1e-3 - (d.first[t + 1] - d.first[t]) * 1e-6,
			start: (t) => d.start[d.first[t]] ?? 0,
			name: (t) => d.name(t).toLowerCase(),
			tid: (t) => d.tid[t],
		}[this.order];
		const less = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
		const best = new Map();
		const processOf = (t) => d.process[t] || d.tid[t];
		const values = Array.from({ length: d.tasks }, (_, t) => value(t));
		values.forEach((v, t) => {
			const now = best.get(processOf(t));
			if (now === undefined || v < now) {
				best.set(processOf(t), v);
			}
		});
		const tasks = values
			.map((_, t) => t)
			.filter((t) => this.matches(t))
			.sort(
				(a, b) =>
					less(best.get(processOf(a)), best.get(processOf(b))) ||
					processOf(a) - processOf(b) ||
					(d.tid[b] === processOf(b)) - (d.tid[a] === processOf(a)) ||
					less(values[a], values[b]) ||
					a - b,
			);
		const places = d.cpuPlaces.map((place, cpu) => [place, cpu]).sort((a, b) => a[0] - b[0]);
		this.rows = [...places.map(([, cpu]) => ({ cpu })), ...tasks.map((task) => ({ task }))];
		this.rowOfTask = new Int32Array(d.tasks).fill(-1);
		this.rows.forEach((r, n) => {
			if (r.task !== undefined) {
				this.rowOfTask[r.task] = n;
			}
		});
	}

	matches(t) {
		return !this.query || this.query.test(this.taskName(t));
	}

	taskName(t) {
		const d = this.data;
		const isThread = d.process[t] && d.process[t] !== d.tid[t];
		return `${d.name(t)} ${d.tid[t]}${isThread ? " of " + d.process[t] : ""}`;
	}

	searchFor(text) {
		this.search.value = text;
		this.search.removeAttribute("aria-invalid");
		try {
			this.query = text ? new RegExp(text, "i") : "";
		} catch (e) {
			this.search.setAttribute("aria-invalid", "true");
			return;
		}
		this.makeRows();
		this.row = 0;
		this.app.say(counted(this.rows.length - this.data.cpuPlaces.length, "task"));
		this.viewed();
		this.draw();
	}

	setOrder(order) {
		this.order = order;
		this.makeRows();
		this.draw();
	}

	setWakes(on) {
		this.wakes = this.wakeBox.checked = on;
		this.draw();
	}

	/* ---- what is in view ---- */

	show(view, query) {
		const all = this.data.ns;
		const span = Math.min(all * 1.02, Math.max(LEAST_SPAN_NS, view[1] - view[0]));
		const margin = all * 0.01;
		const from = Math.min(Math.max(-margin, view[0]), Math.max(-margin, all + margin - span));
		this.view = view[0] <= 0 && view[1] >= all ? [0, all] : [from, from + span];
		if (query !== undefined && query !== this.search.value) {
			this.searchFor(query);
		}
		this.viewed();
		this.draw();
	}

	viewed() {
		if (this.app.viewed) {
			this.app.viewed(this.view, this.search.value);
		}
	}

	zoomBy(factor, at) {
		const [from, to] = this.view;
		const middle = at ?? this.selectedTime() ?? (from + to) / 2;
		this.show([middle - (middle - from) * factor, middle + (to - middle) * factor]);
	}

	/* The selected interval's middle, where it is in view. */
	selectedTime() {
		if (this.selected < 0) {
			return undefined;
		}
		const middle = (this.data.start[this.selected] + this.data.end[this.selected]) / 2;
		return middle > this.view[0] && middle < this.view[1] ? middle : undefined;
	}

	panBy(share) {
		const by = (this.view[1] - this.view[0]) * share;
		this.show([this.view[0] + by, this.view[1] + by]);
	}

	zoomToSelected() {
		if (this.selected >= 0) {
			const { start, end } = this.data;
			const margin = Math.max(LEAST_SPAN_NS, (end[this.selected] - start[this.selected]) * 0.5);
			this.show([start[this.selected] - margin, end[this.selected] + margin]);
		}
	}

	/* ---- drawing ---- */

	recolour() {
		this.words = null;
		this.draw();
	}

	makeWords() {
		const dark = isDark();
		this.words = KINDS.map(([, colour]) => wordOf(cssVar(colour)));
		this.taskWords = Array.from({ length: this.data.tasks }, (_, t) => {
			const hue = Math.floor(hashName(this.data.name(t)) * 360);
			return wordOf(hexColour(`hsl(${hue} ${dark ? 40 : 58}% ${dark ? 42 : 68}%)`));
		});
		this.inks = {
			ground: cssVar("--surface"),
			ink: cssVar("--ink"),
			faint: cssVar("--faint"),
			stripe: cssVar("--stripe"),
			line: cssVar("--line"),
			accent: cssVar("--accent"),
			brush: cssVar("--brush"),
			box: cssVar("--box-ink"),
			wake: cssVar("--s-wake"),
		};
	}

	draw() {
		if (!this.box.clientWidth || !this.box.clientHeight) {
			return;
		}
		const started = performance.now();
		if (!this.words || this.wasDark !== isDark()) {
			this.wasDark = isDark();
			this.makeWords();
		}
		this.width = this.box.clientWidth;
		this.height = this.box.clientHeight;
		this.left = Math.min(CHART_NAME, Math.floor(this.width / 3));
		const content = CHART_TOP + this.rows.length * CHART_ROW + 8;
		this.sticky.style.height = this.height + "px";
		this.spacer.style.height = Math.max(0, content - this.height) + "px";
		const g = this.prepare();
		this.drawOverview(g);
		this.labels = [];
		this.paintRows(g);
		this.drawNames(g);
		this.drawAxis(g);
		this.drawLabels(g);
		this.drawBrush(g);
		this.drawWakes(g);
		this.drawSelected(g);
		this.drawMs = performance.now() - started;
	}

	/* A canvas that has its size keeps its memory. */
	prepare() {
		const ratio = window.devicePixelRatio || 1;
		const size = [this.width, this.height, ratio].join();
		if (this.size !== size) {
			this.size = size;
			sizeCanvas(this.canvas, this.width, this.height);
		}
		const g = this.canvas.getContext("2d", { alpha: false });
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.ratio = ratio;
		g.fillStyle = this.inks.ground;
		g.fillRect(0, 0, this.width, this.height);
		return g;
	}

	x(ns) {
		return this.left + ((ns - this.view[0]) / (this.view[1] - this.view[0])) * (this.width - this.left);
	}

	timeAt(x) {
		return this.view[0] + ((x - this.left) / (this.width - this.left)) * (this.view[1] - this.view[0]);
	}

	y(row) {
		return CHART_TOP + row * CHART_ROW - this.box.scrollTop;
	}

	get rowsInView() {
		const first = Math.max(0, Math.floor(this.box.scrollTop / CHART_ROW));
		const last = Math.min(this.rows.length, first + Math.ceil((this.height - CHART_TOP) / CHART_ROW) + 1);
		return [first, last];
	}

	paintRows(g) {
		const { painter: p, ratio, data: d } = this;
		const left = Math.round(this.left * ratio);
		const top = Math.round(CHART_TOP * ratio);
		p.resize(Math.max(1, this.canvas.width - left), Math.max(1, this.canvas.height - top), wordOf(this.inks.ground));
		const [first, last] = this.rowsInView;
		for (let n = first; n < last; n++) {
			const y = (this.y(n) - CHART_TOP + (CHART_ROW - CHART_BAR) / 2) * ratio;
			const row = {
				n,
				top: Math.round(y),
				bottom: Math.round(y + CHART_BAR * ratio),
				thin: Math.round(3 * ratio),
				words: this.words,
				labels: this.labels,
				labelWidth: 34 * ratio,
			};
			const { task, cpu } = this.rows[n];
			if (task !== undefined) {
				p.spans(d, d.first[task + 1] - d.first[task], (k) => d.first[task] + k, this.view, row);
			} else {
				this.paintIdle(cpu, row);
				const ids = d.byCpu[cpu];
				row.wordOf = (span) => this.taskWords[d.owner[span]];
				p.spans(d, ids.length, (k) => ids[k], this.view, row);
			}
		}
		g.putImageData(p.image, left, top);
	}

	/* Idle states below what runs: the deeper, the darker. */
	paintIdle(cpu, row) {
		const { power } = this.data;
		const ids = power.lists[cpu].idle;
		const scale = this.painter.width / (this.view[1] - this.view[0]);
		const words = this.idleWords || (this.idleWords = {});
		for (let k = firstAfter(ids.length, this.view[0], (m) => power.start[ids[m]] + power.ns[ids[m]]); k < ids.length; k++) {
			const i = ids[k];
			if (power.start[i] >= this.view[1]) {
				break;
			}
			const x0 = Math.max(0, Math.round((power.start[i] - this.view[0]) * scale));
			const x1 = Math.min(this.painter.width, Math.round((power.start[i] + power.ns[i] - this.view[0]) * scale));
			const depth = Math.min(6, power.state[i]);
			const id = depth + ":" + this.wasDark;
			words[id] = words[id] || wordOf(hexColour(`hsl(215 25% ${this.wasDark ? 22 + depth * 4 : 92 - depth * 5}%)`));
			this.painter.box(x0, x1, row.bottom - row.thin * 2, row.bottom, words[id]);
		}
	}

	drawNames(g) {
		const { inks } = this;
		g.font = "12px system-ui, sans-serif";
		g.textBaseline = "middle";
		const [first, last] = this.rowsInView;
		g.save();
		g.beginPath();
		g.rect(0, CHART_TOP, this.width, this.height - CHART_TOP);
		g.clip();
		for (let n = first; n < last; n++) {
			const y = this.y(n);
			if (n === this.row) {
				g.fillStyle = inks.brush;
				g.fillRect(0, y, this.left, CHART_ROW);
			}
			const { task, cpu } = this.rows[n];
			const isThread = task !== undefined && this.data.process[task] && this.data.process[task] !== this.data.tid[task];
			const indent = isThread ? 20 : 8;
			const number = task === undefined ? "" : String(this.data.tid[task]);
			g.fillStyle = inks.faint;
			const numberWidth = number ? g.measureText(number).width + 8 : 0;
			g.fillText(number, this.left - numberWidth, y + CHART_ROW / 2);
			g.fillStyle = inks.ink;
			const name = task === undefined ? "CPU " + cpu : this.data.name(task);
			g.fillText(fitted(g, name, this.left - indent - numberWidth - 6), indent, y + CHART_ROW / 2);
			g.fillStyle = inks.line;
			g.fillRect(0, y + CHART_ROW - 1, this.width, n + 1 === this.data.cpuPlaces.length ? 2 : 0.5);
		}
		g.restore();
	}

	drawAxis(g) {
		const { offsetNs } = this.data;
		g.save();
		g.beginPath();
		g.rect(this.left, CHART_OVERVIEW, this.width - this.left, CHART_TOP - CHART_OVERVIEW);
		g.clip();
		g.translate(this.left, CHART_OVERVIEW);
		drawTimeAxis(g, this.width - this.left, 6, (this.view[0] + offsetNs) / 1e9, (this.view[1] + offsetNs) / 1e9);
		g.restore();
		g.fillStyle = this.inks.line;
		g.fillRect(0, CHART_TOP - 1, this.width, 1);
		g.fillStyle = this.inks.faint;
		g.font = CHART_LABEL_FONT;
		g.textBaseline = "middle";
		g.fillText(formatNs(this.view[1] - this.view[0]) + " shown", 8, CHART_TOP - 12);
	}

	/* The load of all CPUs, and the range that is shown. */
	drawOverview(g) {
		const width = Math.max(1, Math.floor(this.width - this.left));
		const busy = this.overview(width);
		const height = CHART_OVERVIEW - 4;
		g.fillStyle = this.inks.faint;
		g.font = CHART_LABEL_FONT;
		g.textBaseline = "middle";
		g.fillText("all CPUs", 8, CHART_OVERVIEW / 2);
		g.fillStyle = cssVar(KINDS[RUNNING][1]);
		for (let x = 0; x < width; x++) {
			const h = busy[x] * height;
			if (h > 0) {
				g.fillRect(this.left + x, 2 + height - Math.max(0.5, h), 1, Math.max(0.5, h));
			}
		}
		const x0 = this.left + Math.max(0, this.view[0] / this.data.ns) * width;
		const x1 = this.left + Math.min(1, this.view[1] / this.data.ns) * width;
		g.fillStyle = this.inks.ground;
		g.globalAlpha = 0.65;
		g.fillRect(this.left, 0, x0 - this.left, CHART_OVERVIEW);
		g.fillRect(x1, 0, this.width - x1, CHART_OVERVIEW);
		g.globalAlpha = 1;
		g.strokeStyle = this.inks.accent;
		g.lineWidth = 1.5;
		g.strokeRect(x0 + 0.75, 1, Math.max(2, x1 - x0 - 1.5), CHART_OVERVIEW - 3);
	}

	overview(width) {
		if (this.busy && this.busy.length === width) {
			return this.busy;
		}
		const d = this.data;
		const busy = (this.busy = new Float64Array(width));
		const scale = width / d.ns;
		const cpus = Math.max(1, d.cpuPlaces.length);
		for (let i = 0; i < d.kind.length; i++) {
			if (d.kind[i] !== RUNNING) {
				continue;
			}
			const from = d.start[i] * scale;
			const to = Math.min(width, d.end[i] * scale);
			for (let x = Math.floor(from); x < to; x++) {
				busy[x] += (Math.min(to, x + 1) - Math.max(from, x)) / cpus;
			}
		}
		return busy.map((v) => Math.min(1, v));
	}

	/* Labels of intervals with enough room: the task of a CPU, the reason of a wait, the duration. */
	drawLabels(g) {
		const { data: d, ratio } = this;
		g.font = CHART_LABEL_FONT;
		g.textBaseline = "middle";
		const letter = 6;
		for (const { x0, x1, row, span } of this.labels.slice(0, LABELS_SHOWN)) {
			const isCpu = this.rows[row.n].cpu !== undefined;
			const kind = d.kind[span];
			if (!isCpu && (kind === SLEEPING || kind === POLLING) && !d.reason(span)) {
				continue;
			}
			const text = isCpu ? d.name(d.owner[span]) : d.reason(span) || formatNs(d.end[span] - d.start[span]);
			const letters = Math.floor(((x1 - x0) / ratio - 8) / letter);
			const y = this.y(row.n) + CHART_ROW / 2 - (kind === SLEEPING || kind === POLLING ? 2 : 0);
			if (letters >= Math.min(3, text.length) && y > CHART_TOP + 4) {
				g.fillStyle = kind === SLEEPING || kind === POLLING ? this.inks.faint : this.inks.box;
				g.fillText(
					text.length <= letters ? text : text.slice(0, letters - 1) + "\u2026",
					this.left + x0 / ratio + 4,
					y,
				);
			}
		}
	}

	/* A time range selected with the mouse, or the one that the other views count. */
	drawBrush(g) {
		const time = this.brush || (this.options.span && this.options.span());
		if (time) {
			g.fillStyle = this.inks.brush;
			const x0 = Math.max(this.left, this.x(time[0]));
			const x1 = Math.min(this.width, this.x(time[1]));
			g.fillRect(x0, CHART_TOP, Math.max(0, x1 - x0), this.height);
		}
	}

	drawSelected(g) {
		const i = this.selected;
		if (i < 0) {
			return;
		}
		const rows = [this.rowOfTask[this.data.owner[i]]];
		if (this.data.kind[i] === RUNNING && this.data.cpu[i]) {
			rows.push(this.rows.findIndex((r) => r.cpu === this.data.cpu[i] - 1));
		}
		const x0 = Math.max(this.left, this.x(this.data.start[i]));
		const x1 = Math.min(this.width, this.x(this.data.end[i]));
		for (const n of rows) {
			const y = this.y(n);
			if (n >= 0 && x1 >= this.left && x0 <= this.width && y >= CHART_TOP - CHART_ROW / 2) {
				g.strokeStyle = this.inks.ink;
				g.lineWidth = 2;
				g.strokeRect(x0, y + 2, Math.max(2, x1 - x0), CHART_ROW - 5);
			}
		}
	}

	/* ---- wakeups ---- */

	/* All in view if there are few, otherwise those of the selected task. */
	wakesInView() {
		const { wake } = this.data;
		const first = firstAfter(wake.ns.length, this.view[0] - 1, (m) => wake.ns[m]);
		const end = firstAfter(wake.ns.length, this.view[1], (m) => wake.ns[m]);
		if (end - first <= WAKES_SHOWN) {
			return Array.from({ length: end - first }, (_, k) => first + k);
		}
		if (this.selected < 0) {
			return [];
		}
		const ids = this.data.wakesOf(this.data.owner[this.selected]);
		const from = firstAfter(ids.length, this.view[0] - 1, (m) => wake.ns[ids[m]]);
		return Array.from(ids.subarray(from, from + WAKES_SHOWN)).filter((w) => wake.ns[w] <= this.view[1]);
	}

	drawWakes(g) {
		if (!this.wakes) {
			return;
		}
		const { wake } = this.data;
		g.save();
		g.beginPath();
		g.rect(this.left, CHART_TOP, this.width - this.left, this.height - CHART_TOP);
		g.clip();
		g.strokeStyle = g.fillStyle = this.inks.wake;
		g.lineWidth = 1;
		for (const w of this.wakesInView()) {
			const to = this.rowOfTask[wake.to[w]];
			const from = wake.from[w] >= FROM_TASK ? this.rowOfTask[wake.from[w] - FROM_TASK] : -1;
			const x = this.x(wake.ns[w]);
			if (to < 0) {
				continue;
			}
			const y = this.y(to) + CHART_ROW / 2;
			if (from >= 0) {
				this.drawArrow(g, x, this.y(from) + CHART_ROW / 2, y);
			} else {
				g.beginPath();
				g.arc(x, y - CHART_BAR / 2, 2.5, 0, 7);
				wake.from[w] === FROM_INTERRUPT ? g.fill() : g.stroke();
			}
		}
		g.restore();
	}

	drawArrow(g, x, from, to) {
		const down = to > from ? 1 : -1;
		const tip = to - (down * CHART_BAR) / 2;
		g.beginPath();
		g.arc(x, from, 1.8, 0, 7);
		g.fill();
		g.beginPath();
		g.moveTo(x, from);
		g.lineTo(x, tip);
		g.stroke();
		g.beginPath();
		g.moveTo(x, tip);
		g.lineTo(x - 3.5, tip - down * 6);
		g.lineTo(x + 3.5, tip - down * 6);
		g.fill();
	}

	/* The wakeup that ended a wait, or began a wait for a CPU; -1: not recorded. */
	wakeOf(i) {
		const d = this.data;
		const at = d.kind[i] === WAITING && !d.isPreempted[i] ? d.start[i] : d.end[i];
		const ids = d.wakesOf(d.owner[i]);
		const k = firstAfter(ids.length, at - 0.5, (m) => d.wake.ns[ids[m]]);
		const isWait = d.kind[i] > RUNNING && d.kind[i] <= SLEEPING + 1 && !(d.kind[i] === WAITING && d.isPreempted[i]);
		return isWait && k < ids.length && d.wake.ns[ids[k]] - at < 0.5 ? ids[k] : -1;
	}

	/* ---- hit testing ---- */

	spanOfTask(t, ns, slack) {
		const d = this.data;
		const n = d.first[t + 1] - d.first[t];
		const k = firstAfter(n, ns - slack, (m) => d.end[d.first[t] + m]);
		const i = d.first[t] + k;
		return k < n && d.start[i] <= ns + slack ? i : -1;
	}

	spanOfCpu(cpu, ns, slack) {
		const d = this.data;
		const ids = d.byCpu[cpu];
		const k = firstAfter(ids.length, ns - slack, (m) => d.end[ids[m]]);
		return k < ids.length && d.start[ids[k]] <= ns + slack ? ids[k] : -1;
	}

	/* The first interval within a pixel of it. */
	spanAt(x, y) {
		const n = this.rowAt(y);
		const row = this.rows[n];
		if (!row || x < this.left || y < CHART_TOP) {
			return -1;
		}
		const ns = this.timeAt(x);
		const slack = (this.view[1] - this.view[0]) / (this.width - this.left);
		const find = (s) => (row.task === undefined ? this.spanOfCpu(row.cpu, ns, s) : this.spanOfTask(row.task, ns, s));
		const exact = find(0);
		return exact >= 0 ? exact : find(slack);
	}

	rowAt(y) {
		return y < CHART_TOP ? -1 : Math.floor((y - CHART_TOP + this.box.scrollTop) / CHART_ROW);
	}

	stateOf(i) {
		const d = this.data;
		const reason = d.reason(i);
		const preempted = d.isPreempted[i] && !reason ? ", preempted" : "";
		return KINDS[d.kind[i]][0] + (reason ? ": " + reason : "") + preempted;
	}

	describe(i) {
		const d = this.data;
		const lines = [`${this.stateOf(i)}, ${formatNs(d.end[i] - d.start[i])}`];
		if (d.waits[i]) {
			lines.push(`the sum of ${counted(d.waits[i], "wait")} at one place`);
		}
		return { title: this.taskName(d.owner[i]), lines };
	}

	idleAt(cpu, ns) {
		const { power } = this.data;
		const find = (ids) => {
			const k = firstAfter(ids.length, ns, (m) => power.start[ids[m]] + power.ns[ids[m]]);
			return k < ids.length && power.start[ids[k]] <= ns ? ids[k] : -1;
		};
		const { idle, speed } = power.lists[cpu];
		const lines = [];
		const state = find(idle);
		const khz = find(speed);
		if (state >= 0) {
			lines.push(`idle state ${power.state[state]}, ${formatNs(power.ns[state])}`);
		}
		if (khz >= 0) {
			lines.push(`${(power.state[khz] / 1e6).toFixed(2)} GHz`);
		}
		return { title: "CPU " + cpu, lines: lines.length ? lines : ["nothing ran"] };
	}

	/* ---- selection ---- */

	select(i, row) {
		this.selected = i;
		const n = row ?? (i >= 0 ? this.rowOfTask[this.data.owner[i]] : -1);
		if (n >= 0) {
			this.row = n;
			this.scrollToRow(n);
		}
		this.info.show(i);
		if (i >= 0) {
			const { title, lines } = this.describe(i);
			this.app.say(title + ": " + lines.join(", "));
		}
		this.draw();
	}

	scrollToRow(n) {
		const y = n * CHART_ROW;
		const room = this.box.clientHeight - CHART_TOP;
		if (y < this.box.scrollTop) {
			this.box.scrollTop = y;
		} else if (y > this.box.scrollTop + room - 2 * CHART_ROW) {
			this.box.scrollTop = y - room + 3 * CHART_ROW;
		}
	}

	/* Selects the interval of a task that begins at a time, or else ends there, and scrolls to it. */
	goToTask(t, ns) {
		const from = this.spanOfTask(t, ns, 0);
		const i = from >= 0 ? from : this.spanOfTask(t, ns, 1);
		if (this.rowOfTask[t] < 0) {
			this.searchFor("");
		}
		if (ns < this.view[0] || ns > this.view[1]) {
			const half = (this.view[1] - this.view[0]) / 2;
			this.view = [ns - half, ns + half];
		}
		this.select(i, this.rowOfTask[t]);
	}

	step(by) {
		const { first, owner, start, end } = this.data;
		let i = this.selected;
		if (i < 0) {
			const { task } = this.rows[this.row] || {};
			i = task === undefined ? -1 : this.spanOfTask(task, this.view[0], this.view[1] - this.view[0]);
		} else if (i + by >= first[owner[i]] && i + by < first[owner[i] + 1]) {
			i += by;
		}
		if (i >= 0) {
			const half = (this.view[1] - this.view[0]) / 2;
			if (end[i] < this.view[0] || start[i] > this.view[1]) {
				this.show([start[i] - half, start[i] + half]);
			}
			this.select(i);
		}
	}

	/* ---- mouse and keys ---- */

	wheel(e) {
		if (e.ctrlKey || e.metaKey || e.altKey) {
			e.preventDefault();
			this.zoomBy(Math.exp(Math.max(-240, Math.min(240, e.deltaY)) * 0.003), this.timeAt(Math.max(this.left, e.offsetX)));
		} else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
			e.preventDefault();
			this.panBy((e.shiftKey && !e.deltaX ? e.deltaY : e.deltaX) / (this.width - this.left));
		}
	}

	pointerDown(e) {
		if (e.button) {
			return;
		}
		this.box.focus({ preventScroll: true });
		this.canvas.setPointerCapture(e.pointerId);
		const isOverview = e.offsetY < CHART_OVERVIEW && e.offsetX >= this.left;
		this.drag = { x: e.offsetX, y: e.offsetY, view: this.view, scroll: this.box.scrollTop, moved: false, isOverview,
			isSpan: e.shiftKey && !isOverview };
		this.app.tooltip(null);
		if (isOverview) {
			this.overviewTo(e.offsetX);
		}
	}

	overviewTo(x) {
		const half = (this.view[1] - this.view[0]) / 2;
		const at = ((x - this.left) / (this.width - this.left)) * this.data.ns;
		this.show([at - half, at + half]);
	}

	pointerMove(e) {
		const { drag } = this;
		if (!drag) {
			this.pointed(e);
			return;
		}
		drag.moved = drag.moved || Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) > 3;
		if (drag.isOverview) {
			this.overviewTo(e.offsetX);
		} else if (drag.isSpan) {
			this.brush = [this.timeAt(Math.min(drag.x, e.offsetX)), this.timeAt(Math.max(drag.x, e.offsetX))];
			this.draw();
		} else if (drag.moved) {
			const by = ((drag.x - e.offsetX) / (this.width - this.left)) * (drag.view[1] - drag.view[0]);
			this.box.scrollTop = drag.scroll + drag.y - e.offsetY;
			this.show([drag.view[0] + by, drag.view[1] + by]);
		}
	}

	pointerUp(e) {
		const { drag, brush } = this;
		this.drag = this.brush = null;
		if (!drag || drag.isOverview) {
			return;
		}
		if (drag.isSpan && brush && brush[1] > brush[0]) {
			if (this.options.onSpan) {
				this.options.onSpan(brush);
			}
			this.show(brush);
		} else if (!drag.moved && e.offsetY >= CHART_TOP) {
			this.select(this.spanAt(e.offsetX, e.offsetY), this.rowAt(e.offsetY));
		}
	}

	pointed(e) {
		const i = this.spanAt(e.offsetX, e.offsetY);
		const row = this.rows[this.rowAt(e.offsetY)];
		if (i >= 0) {
			this.app.tooltip(e, this.describe(i));
		} else if (row && e.offsetX < this.left && row.task !== undefined) {
			const lines = this.info.sumsOf(row.task).map((pair) => pair.join(": "));
			this.app.tooltip(e, { title: this.taskName(row.task), lines });
		} else if (row && row.cpu !== undefined && e.offsetX >= this.left) {
			this.app.tooltip(e, this.idleAt(row.cpu, this.timeAt(e.offsetX)));
		} else {
			this.app.tooltip(null);
		}
	}

	pressed(e) {
		if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) {
			return;
		}
		const move = (by) => {
			this.row = Math.min(this.rows.length - 1, Math.max(0, this.row + by));
			const { task, cpu } = this.rows[this.row] || {};
			const ns = this.selectedTime() ?? (this.view[0] + this.view[1]) / 2;
			this.select(task === undefined ? this.spanOfCpu(cpu, ns, 0) : this.spanOfTask(task, ns, 0), this.row);
		};
		const does = {
			ArrowLeft: () => (e.shiftKey ? this.step(-1) : this.panBy(-0.2)),
			ArrowRight: () => (e.shiftKey ? this.step(1) : this.panBy(0.2)),
			ArrowUp: () => move(-1),
			ArrowDown: () => move(1),
			PageUp: () => move(-20),
			PageDown: () => move(20),
			Home: () => this.show([0, this.view[1] - this.view[0]]),
			End: () => this.show([this.data.ns - (this.view[1] - this.view[0]), this.data.ns]),
			"+": () => this.zoomBy(1 / 1.6),
			"=": () => this.zoomBy(1 / 1.6),
			"-": () => this.zoomBy(1.6),
			0: () => this.show([0, this.data.ns]),
			Escape: () => this.show([0, this.data.ns]),
			Enter: () => this.zoomToSelected(),
			w: () => this.setWakes(!this.wakes),
			u: () => this.goToWaker(),
		}[e.key];
		if (does) {
			does();
			e.preventDefault();
			e.stopPropagation();
		}
	}

	goToWaker() {
		const wake = this.selected < 0 ? -1 : this.wakeOf(this.selected);
		if (wake >= 0 && this.data.wake.from[wake] >= FROM_TASK) {
			this.goToTask(this.data.wake.from[wake] - FROM_TASK, this.data.wake.ns[wake]);
		}
	}
}

function formatNs(ns) {
	return formatValue(ns, "nanoseconds");
}

function formatExact(s) {
	return s.toFixed(9) + " s";
}
