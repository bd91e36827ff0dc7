/*
 * The timeline: a strip with all samples and a brush, lanes for threads and CPUs, and a heat map of subsecond offsets.
 * The brushed range is the one that every other view counts.
 */

function sizeCanvas(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	canvas.width = Math.max(1, Math.round(width * ratio));
	canvas.height = Math.max(1, Math.round(height * ratio));
	canvas.style.width = width + "px";
	canvas.style.height = height + "px";
	const g = canvas.getContext("2d");
	g.setTransform(ratio, 0, 0, ratio, 0, 0);
	return g;
}

/* What the selection of samples for the timeline depends on: the event and the filters, but not the time range. */
function logId(app) {
	return app.state.event + app.model.keptId;
}

/* Flags of the log's samples; made once for each. */
function logWeights(app) {
	const p = app.p;
	if (app.logShownId !== logId(app)) {
		app.logShownId = logId(app);
		app.logShown = new Uint8Array(p.logRow.length);
		const { rowsKept } = app.model;
		for (let i = 0; i < p.logRow.length; i++) {
			const row = p.logRow[i];
			app.logShown[i] = p.rowEvent[row] === app.state.event && rowsKept[row] ? 1 : 0;
		}
	}
	return app.logShown;
}

function drawTimeAxis(g, width, y, from, to) {
	const step = niceStep(to - from, width / 110);
	g.font = "11px system-ui, sans-serif";
	g.textBaseline = "top";
	for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
		const x = ((t - from) / (to - from)) * width;
		g.fillStyle = cssVar("--line");
		g.fillRect(Math.round(x), 0, 1, y + 4);
		g.fillStyle = cssVar("--faint");
		/* the last one is left of its tick if it does not fit to the right */
		const text = formatAxis(t, step);
		const room = g.measureText(text).width + 3;
		g.fillText(text, Math.round(x) + (x + room > width ? -room : 3), y);
	}
}

function formatAxis(t, step) {
	/* as many digits as distinguish one step from the next, and no more */
	let digits = 0;
	while (digits < 9 && Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) {
		digits++;
	}
	return digits > 2 ? (t * 1e3).toFixed(Math.max(0, digits - 3)) + " ms" : t.toFixed(digits) + " s";
}

/* Dragging over a canvas selects a time range; a click without a movement clears it. */
class Brush {
	constructor(canvas, app, timeAt) {
		this.from = null;
		canvas.addEventListener("pointerdown", (e) => {
			this.from = timeAt(e);
			this.x = e.offsetX;
			this.moved = false;
			canvas.setPointerCapture(e.pointerId);
		});
		canvas.addEventListener("pointermove", (e) => {
			if (this.from !== null && (this.moved || Math.abs(e.offsetX - this.x) > 3)) {
				this.moved = true;
				const t = timeAt(e);
				app.brushing([Math.min(this.from, t), Math.max(this.from, t)]);
			}
		});
		canvas.addEventListener("pointerup", (e) => {
			if (this.from === null) {
				return;
			}
			if (this.moved) {
				const t = timeAt(e);
				app.setTime([Math.min(this.from, t), Math.max(this.from, t)]);
			} else if (app.state.time && !this.onClick) {
				app.setTime(null);
			}
			this.from = null;
		});
	}
}

class TimeStrip {
	constructor(host, app) {
		this.app = app;
		this.host = host;
		this.canvas = element("canvas", {
			tabindex: "0",
			role: "slider",
			"aria-label": "Span of time",
			class: "strip",
		});
		host.append(this.canvas);
		this.brush = new Brush(this.canvas, app, (e) => this.timeAt(e.offsetX));
		this.canvas.addEventListener("keydown", (e) => this.pressed(e));
		new ResizeObserver(() => this.draw()).observe(host);
	}

	timeAt(x) {
		const span = this.app.timeSpan;
		return Math.min(span, Math.max(0, (x / this.width) * span));
	}

	/* Left and right move the range, up and down make it longer and shorter. */
	pressed(e) {
		const span = this.app.timeSpan;
		let [from, to] = this.app.state.time || [0, span];
		const step = Math.max((to - from) / 4, span / 500);
		if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
			const by = e.key === "ArrowLeft" ? -Math.min(step, from) : Math.min(step, span - to);
			from += by;
			to += by;
		} else if (e.key === "ArrowDown") {
			[from, to] = [from + (to - from) / 4, to - (to - from) / 4];
		} else if (e.key === "ArrowUp") {
			[from, to] = [Math.max(0, from - (to - from) / 2), Math.min(span, to + (to - from) / 2)];
		} else if (e.key === "Escape") {
			this.app.setTime(null);
			return;
		} else {
			return;
		}
		e.preventDefault();
		this.app.setTime(from <= 0 && to >= span ? null : [from, to]);
	}

	count(width) {
		const p = this.app.p;
		const shown = logWeights(this.app);
		const id = width + ":" + logId(this.app);
		if (this.counted !== id) {
			this.counted = id;
			this.bins = new Uint32Array(width);
			const scale = (p.timeUnit / this.app.timeSpan) * width;
			for (let i = 0; i < p.logTime.length; i++) {
				this.bins[Math.min(width - 1, Math.floor(p.logTime[i] * scale))] += shown[i];
			}
		}
		return this.bins;
	}

	draw() {
		if (!this.app.p || !this.app.hasLog) {
			return;
		}
		const width = (this.width = this.host.clientWidth);
		const height = this.host.clientHeight;
		if (!width) {
			return;
		}
		const g = sizeCanvas(this.canvas, width, height);
		const bins = this.count(Math.max(1, Math.floor(width / 2)));
		const most = bins.reduce((a, b) => Math.max(a, b), 1);
		const axis = height - 15;
		const time = this.app.shownTime;
		drawTimeAxis(g, width, axis + 2, 0, this.app.timeSpan);
		const [from, to] = time ? time.map((t) => (t / this.app.timeSpan) * width) : [0, width];
		if (time) {
			g.fillStyle = cssVar("--brush");
			g.fillRect(from, 0, Math.max(1, to - from), axis);
		}
		const strong = cssVar("--accent");
		const weak = cssVar("--accent-weak");
		for (let i = 0; i < bins.length; i++) {
			const h = bins[i] ? Math.max(1, (bins[i] / most) * (axis - 4)) : 0;
			const x = i * 2;
			g.fillStyle = x >= from - 1 && x < to ? strong : weak;
			g.fillRect(x, axis - h, 1.5, h);
		}
		if (time) {
			g.fillStyle = strong;
			g.fillRect(from, 0, 1.5, axis);
			g.fillRect(to - 1.5, 0, 1.5, axis);
		}
		this.canvas.setAttribute("aria-valuemin", "0");
		this.canvas.setAttribute("aria-valuemax", this.app.timeSpan.toFixed(3));
		this.canvas.setAttribute("aria-valuenow", (time ? time[0] : 0).toFixed(3));
		this.canvas.setAttribute(
			"aria-valuetext",
			time ? `from ${formatSeconds(time[0])} to ${formatSeconds(time[1])}` : "all of it",
		);
	}
}

const LANE = 26; /* height, pixels */
const LANE_MOST = 64; /* if there are few */
const LANE_AXIS = 18;
const LANE_NAME = 190; /* at most; a third of a narrow window */

class TimelineView {
	constructor(host, app) {
		this.app = app;
		this.host = host;
		this.by = app.p.chart ? "state" : "thread";
		this.lanes = [];
		this.choose = element(
			"select",
			{
				"aria-label": "Lanes",
				onchange: (e) => {
					this.by = e.target.value;
					this.made = null;
					this.update();
				},
			},
			...(app.p.chart ? [element("option", { value: "state" }, "states of threads")] : []),
			...(app.hasLog
				? [
						element("option", { value: "thread" }, "samples by thread"),
						element("option", { value: "cpu" }, "samples by CPU"),
					]
				: []),
		);
		this.note = element("span", { class: "faint" });
		this.bar = element("div", { class: "view-bar" }, this.choose, this.note);
		this.box = element("div", { class: "lanes", tabindex: "0", role: "group", "aria-label": "Lanes; arrows choose one" });
		this.canvas = element("canvas", { "aria-hidden": "true" });
		this.sticky = element("div", { class: "lanes-sticky" }, this.canvas);
		this.spacer = element("div");
		this.box.append(this.sticky, this.spacer);
		host.append(this.bar, this.box);
		this.states = element("div", { class: "view" });
		host.append(this.states);
		this.box.addEventListener("scroll", () => this.draw());
		this.brush = new Brush(this.canvas, app, (e) => this.timeAt(e.offsetX));
		this.canvas.addEventListener("click", (e) => this.clicked(e));
		this.canvas.addEventListener("mousemove", (e) => this.pointed(e));
		this.canvas.addEventListener("mouseleave", () => app.tooltip(null));
		this.box.addEventListener("keydown", (e) => this.pressed(e));
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	timeAt(x) {
		const span = this.app.timeSpan;
		return Math.min(span, Math.max(0, ((x - this.left) / (this.width - this.left)) * span));
	}

	/* Samples by lane and pixel, and the lanes, the busiest first; CPUs in their order. */
	make() {
		const p = this.app.p;
		const bins = Math.max(1, Math.floor((this.width - this.left) / 2));
		const id = [this.by, bins, logId(this.app)].join();
		if (this.made === id) {
			return;
		}
		this.made = id;
		const shown = logWeights(this.app);
		const byThread = this.by === "thread";
		const nr = byThread ? p.threadComm.length : p.logCpu.reduce((a, b) => Math.max(a, b), 0) + 1;
		const scale = (p.timeUnit / this.app.timeSpan) * bins;
		const lanes = new Map();
		for (let i = 0; i < p.logTime.length; i++) {
			if (!shown[i]) {
				continue;
			}
			const lane = byThread ? p.rowThread[p.logRow[i]] : p.logCpu[i];
			let l = lanes.get(lane);
			if (!l && lane < nr) {
				lanes.set(
					lane,
					(l = {
						lane,
						total: 0,
						all: new Uint32Array(bins),
						kernel: new Uint32Array(bins),
					}),
				);
			}
			const bin = Math.min(bins - 1, Math.floor(p.logTime[i] * scale));
			l.all[bin]++;
			l.kernel[bin] += p.frameFlags[p.nodeFrame[p.rowNode[p.logRow[i]]]] & 2 ? 1 : 0;
			l.total++;
		}
		for (const l of lanes.values()) {
			l.name = byThread
				? threadName(p, l.lane)
				: l.lane
					? "CPU " + (l.lane - 1)
					: "(CPU not recorded)";
		}
		this.lanes = byThread ? lanesByProcess(p, [...lanes.values()]) : [...lanes.values()].sort((a, b) => a.lane - b.lane);
		for (const l of this.lanes) {
			l.most = l.all.reduce((a, b) => Math.max(a, b), 1);
		}
		/* Lanes of threads share a scale; that of a whole process has its own. */
		this.most = this.lanes.reduce((a, l) => (l.threads ? a : Math.max(a, l.most)), 1);
	}

	update() {
		const byState = this.by === "state";
		this.states.hidden = !byState;
		this.bar.hidden = byState;
		this.box.hidden = byState || !this.app.hasLog;
		if (byState) {
			this.updateStates();
		} else if (!this.app.hasLog) {
			this.note.textContent = "This profile does not say when its samples were taken.";
		} else {
			this.bar.prepend(this.choose);
			this.draw();
		}
	}

	/* The time chart, whose time 0 differs from that of the samples. */
	updateStates() {
		const { app } = this;
		const { offsetNs } = app.p.chart;
		if (!this.chart) {
			this.chart = new Chart(this.states, app, app.p.chart, {
				onSpan: app.hasLog && ((view) => app.setTime(view.map((ns) => (ns + offsetNs) / 1e9))),
				span: () => app.shownTime && app.shownTime.map((s) => s * 1e9 - offsetNs),
			});
		}
		this.chart.bar.prepend(this.choose);
		this.chart.recolour();
	}

	isChosen(l) {
		return l.threads
			? this.app.state.tagFocus === "pid=" + l.pid
			: this.by === "thread"
			? this.app.state.thread === l.lane
			: this.app.state.cpu >= 0 && this.app.state.cpu === l.lane - 1;
	}

	draw() {
		if (this.by === "state" && this.chart) {
			this.chart.draw();
		}
		if (this.by === "state" || !this.app.hasLog || !this.box.clientWidth) {
			return;
		}
		this.width = this.box.clientWidth;
		this.left = Math.min(LANE_NAME, Math.floor(this.width / 3));
		this.make();
		const height = this.box.clientHeight;
		this.lane = Math.max(LANE, Math.min(LANE_MOST, Math.floor((height - LANE_AXIS) / this.lanes.length) || 0));
		const content = this.lanes.length * this.lane + LANE_AXIS;
		this.note.textContent =
			this.by === "cpu" && this.lanes.every((l) => !l.lane)
				? "The recording does not say on which CPU: record --sample-cpu does."
				: counted(this.lanes.filter((l) => !l.threads).length, this.by === "thread" ? "thread" : "CPU") +
					"; click a name to see it alone, drag for a span of time. Dark is the kernel.";
		this.sticky.style.height = height + "px";
		this.spacer.style.height = Math.max(0, content - height) + "px";
		const g = sizeCanvas(this.canvas, this.width, height);
		const plot = this.width - this.left;
		const time = this.app.shownTime;
		if (time) {
			g.fillStyle = cssVar("--brush");
			g.fillRect(
				this.left + (time[0] / this.app.timeSpan) * plot,
				0,
				Math.max(1, ((time[1] - time[0]) / this.app.timeSpan) * plot),
				height,
			);
		}
		this.drawLanes(g, height, plot);
		/* The axis is below the last lane, or at the lower edge. */
		const axis = Math.min(height, content) - LANE_AXIS;
		g.fillStyle = cssVar("--surface");
		g.fillRect(0, axis, this.width, height - axis);
		g.save();
		g.translate(this.left, axis);
		drawTimeAxis(g, plot, 3, 0, this.app.timeSpan);
		g.restore();
	}

	drawLanes(g, height, plot) {
		const user = cssVar("--accent");
		const kernel = cssVar("--kernel");
		const LANE = this.lane;
		const first = Math.max(0, Math.floor(this.box.scrollTop / LANE));
		g.font = "12px system-ui, sans-serif";
		g.textBaseline = "middle";
		for (let n = first; n < this.lanes.length; n++) {
			const y = n * LANE - this.box.scrollTop;
			if (y > height) {
				break;
			}
			const l = this.lanes[n];
			const chosen = this.isChosen(l);
			g.fillStyle = chosen ? cssVar("--brush") : n % 2 ? cssVar("--stripe") : cssVar("--surface");
			if (chosen || n % 2) {
				g.fillRect(0, y, this.left, LANE);
			}
			g.fillStyle = cssVar("--ink");
			const left = l.inProcess ? 20 : 8;
			g.font = `${l.threads ? "600 " : ""}12px system-ui, sans-serif`;
			g.fillText(fitted(g, l.name, this.left - 54 - left), left, y + LANE / 2);
			g.font = "12px system-ui, sans-serif";
			g.fillStyle = cssVar("--faint");
			const count = grouped(l.total);
			g.fillText(count, this.left - 8 - g.measureText(count).width, y + LANE / 2);
			for (let i = 0; i < l.all.length; i++) {
				if (l.all[i]) {
					const h = Math.max(2, (l.all[i] / (l.threads ? l.most : this.most)) * (LANE - 5));
					const k = (l.kernel[i] / l.all[i]) * h;
					g.fillStyle = user;
					g.fillRect(this.left + i * 2, y + LANE - 2 - h, 1.6, h - k);
					g.fillStyle = kernel;
					g.fillRect(this.left + i * 2, y + LANE - 2 - k, 1.6, k);
				}
			}
			g.fillStyle = cssVar("--line");
			g.fillRect(0, y + LANE - 1, this.width, 1);
		}
	}

	laneAt(y) {
		return Math.floor((y + this.box.scrollTop) / this.lane);
	}

	toggle(n) {
		const l = this.lanes[n];
		if (l) {
			this.app.say(this.isChosen(l) ? "all lanes" : `${l.name}: ${counted(l.total, "sample")}`);
		}
		if (l && l.threads) {
			this.app.change({ tagFocus: this.isChosen(l) ? "" : "pid=" + l.pid, thread: -1 });
		} else if (l && this.by === "thread") {
			this.app.change({ thread: this.isChosen(l) ? -1 : l.lane });
		} else if (l && l.lane) {
			this.app.change({ cpu: this.isChosen(l) ? -1 : l.lane - 1 });
		}
	}

	clicked(e) {
		if (e.offsetX < this.left) {
			this.toggle(this.laneAt(e.offsetY));
		}
	}

	pressed(e) {
		const steps = { ArrowDown: 1, ArrowUp: -1 };
		if (steps[e.key]) {
			e.preventDefault();
			/* Processes are filters, which leave no other lanes: only threads are chosen by arrows. */
			const lanes = this.lanes.map((l, n) => [l, n]).filter(([l]) => !l.threads);
			const at = lanes.findIndex(([l]) => this.isChosen(l));
			const to = Math.min(lanes.length - 1, Math.max(0, at + steps[e.key]));
			this.toggle(to < 0 ? -1 : lanes[to][1]);
		} else if (e.key === "Escape") {
			this.app.change({ thread: -1, cpu: -1 });
		}
	}

	pointed(e) {
		const l = this.lanes[this.laneAt(e.offsetY)];
		const bin = Math.floor((e.offsetX - this.left) / 2);
		if (l && bin >= 0 && bin < l.all.length) {
			this.app.tooltip(e, {
				title: l.name,
				lines: [
					`at ${formatSeconds(this.timeAt(e.offsetX))}`,
					`${counted(l.all[bin], "sample")}, ${l.kernel[bin]} of them in the kernel`,
				],
			});
		} else {
			this.app.tooltip(null);
		}
	}
}

/* Threads below their process, if it has several; processes and threads with most samples first. */
function lanesByProcess(p, threads) {
	const processes = new Map();
	for (const l of threads) {
		const pid = p.threadPid[l.lane];
		const id = pid || "thread " + l.lane; /* not known: by itself */
		const process = processes.get(id) || { pid, total: 0, threads: [] };
		process.total += l.total;
		process.threads.push(l);
		processes.set(id, process);
	}
	const byTotal = (a, b) => b.total - a.total;
	return [...processes.values()].sort(byTotal).flatMap((process) => {
		const own = process.threads.sort(byTotal);
		if (own.length < 2) {
			return own;
		}
		const first = own.find((l) => p.threadTid[l.lane] === process.pid) || own[0];
		const sum = (bins) => bins[0].map((_, i) => bins.reduce((a, one) => a + one[i], 0));
		const head = {
			...process,
			lane: first.lane,
			name: `${p.strings[p.threadComm[first.lane]]} ${process.pid}`,
			all: sum(own.map((l) => l.all)),
			kernel: sum(own.map((l) => l.kernel)),
		};
		own.forEach((l) => {
			l.inProcess = true;
		});
		return [head, ...own];
	});
}

function fitted(g, text, width) {
	if (g.measureText(text).width <= width) {
		return text;
	}
	let n = text.length;
	while (n > 1 && g.measureText(text.slice(0, n) + "\u2026").width > width) {
		n = Math.floor(n * 0.9);
	}
	return text.slice(0, n) + "\u2026";
}

const HEAT_LEFT = 44; /* pixels, for the axis */
const HEAT_MOST_LEAST = 4; /* samples in a cell, for the end of the scale */

/* One column per second, from top to bottom: periodic behaviour and outliers are visible at a glance. */
class HeatView {
	constructor(host, app) {
		this.app = app;
		this.host = host;
		this.note = element("span", { class: "faint" });
		this.ramp = element("span", { class: "ramp", "aria-hidden": "true" });
		this.rampMost = element("span", {});
		const scale = element("span", { class: "faint heat-scale" }, "1", this.ramp, this.rampMost);
		this.bar = element("div", { class: "view-bar" }, scale, this.note);
		this.canvas = element("canvas", {
			tabindex: "0",
			role: "img",
			"aria-label": "Samples by second and offset within the second; arrows move, Enter chooses a cell",
		});
		this.box = element("div", { class: "heat" }, this.canvas);
		host.append(this.bar, this.box);
		this.brush = new Brush(this.canvas, app, (e) => this.cellTime(e));
		this.brush.onClick = true;
		this.canvas.addEventListener("mousemove", (e) => this.pointed(e));
		this.canvas.addEventListener("mouseleave", () => app.tooltip(null));
		this.canvas.addEventListener("click", (e) => this.clicked(e));
		this.canvas.addEventListener("keydown", (e) => this.pressed(e));
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	/* Columns are seconds, or another time if there would be too many or too few. */
	shape() {
		const span = this.app.timeSpan;
		const columns =
			[1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 3600].find(
				(c) => (c >= 1 || (span < 4 && span / c <= 120)) && span / c <= 600,
			) || 3600 * Math.ceil(span / 3600 / 600);
		this.column = columns;
		this.columns = Math.max(1, Math.ceil(span / columns));
		this.rows = 50;
	}

	cellAt(e) {
		const c = Math.min(this.columns - 1, Math.max(0, Math.floor((e.offsetX - HEAT_LEFT) / this.cellW)));
		const r = Math.min(this.rows - 1, Math.max(0, Math.floor(e.offsetY / this.cellH)));
		return [c, r];
	}

	cellTime(e) {
		const [c, r] = this.cellAt(e);
		return Math.min(this.app.timeSpan, (c + r / this.rows) * this.column);
	}

	update() {
		if (!this.app.hasLog) {
			this.note.textContent = "This profile does not say when its samples were taken.";
			return;
		}
		this.draw();
	}

	count() {
		const p = this.app.p;
		const { thread } = this.app.state;
		const shown = logWeights(this.app);
		const { cpus } = this.app.model;
		this.counts = new Uint32Array(this.columns * this.rows);
		for (let i = 0; i < p.logTime.length; i++) {
			const isChosen = (thread < 0 || p.rowThread[p.logRow[i]] === thread) && (!cpus || cpus[p.logCpu[i]]);
			if (shown[i] && isChosen) {
				const t = (p.logTime[i] * p.timeUnit) / this.column;
				const c = Math.min(this.columns - 1, Math.floor(t));
				this.counts[c * this.rows + Math.min(this.rows - 1, Math.floor((t - c) * this.rows))]++;
			}
		}
	}

	draw() {
		if (!this.app.hasLog || !this.box.clientWidth) {
			return;
		}
		const width = this.box.clientWidth;
		const height = this.box.clientHeight - 14;
		this.shape();
		this.cellW = Math.max(1.5, (width - HEAT_LEFT - 8) / this.columns);
		this.cellH = (height - 22) / this.rows;
		this.count();
		const g = sizeCanvas(this.canvas, width, height);
		this.drawCells(g);
		this.drawBrush(g);
		this.drawAxes(g, height);
		const step = this.column / this.rows;
		this.note.textContent =
			`Each column is ${formatSeconds(this.column)}, from top to bottom; a cell is ${formatSeconds(step)}. ` +
			"Drag from one cell to another to see that span alone; click a cell to see it, again to see all.";
	}

	drawCells(g) {
		const most = this.counts.reduce((a, b) => Math.max(a, b), 1);
		const dark = isDark();
		const steps = Array.from({ length: 9 }, (_, i) => heatColour(i / 8, dark));
		this.ramp.style.background = `linear-gradient(to right, ${steps.join(", ")})`;
		this.rampMost.textContent = `${counted(Math.max(most, HEAT_MOST_LEAST), "sample")} in a cell`;
		const empty = cssVar("--stripe");
		const gap = this.cellW > 5 ? 1 : 0;
		for (let c = 0; c < this.columns; c++) {
			for (let r = 0; r < this.rows; r++) {
				const n = this.counts[c * this.rows + r];
				g.fillStyle = n ? heatColour(Math.sqrt(n / Math.max(most, HEAT_MOST_LEAST)), dark) : empty;
				g.fillRect(this.x(c), r * this.cellH, this.cellW - gap, this.cellH - 0.7);
			}
		}
	}

	x(column) {
		return HEAT_LEFT + column * this.cellW;
	}

	drawBrush(g) {
		if (this.cursor) {
			g.strokeStyle = cssVar("--accent");
			g.lineWidth = 2;
			g.strokeRect(this.x(this.cursor[0]), this.cursor[1] * this.cellH, this.cellW, this.cellH);
		}
		const time = this.app.shownTime;
		if (!time) {
			return;
		}
		g.strokeStyle = cssVar("--ink");
		g.fillStyle = isDark() ? "rgb(255 255 255 / 0.10)" : "rgb(0 0 0 / 0.10)";
		g.lineWidth = 1.5;
		const first = Math.floor(time[0] / this.column);
		for (let c = first; c * this.column < time[1] && c < this.columns; c++) {
			const y0 = Math.max(0, (time[0] / this.column - c) * this.rows) * this.cellH;
			const y1 = Math.min(1, time[1] / this.column - c) * this.rows * this.cellH;
			g.fillRect(this.x(c), y0, this.cellW, y1 - y0);
			g.strokeRect(this.x(c), y0, this.cellW, y1 - y0);
		}
	}

	drawAxes(g, height) {
		g.font = "11px system-ui, sans-serif";
		g.fillStyle = cssVar("--faint");
		g.textBaseline = "top";
		for (let n = 0; n <= 4; n++) {
			g.fillText(
				formatAxis((n / 4) * this.column, this.column / 4),
				2,
				Math.min(this.rows * this.cellH - 12, (n / 4) * this.rows * this.cellH),
			);
		}
		const every = Math.max(1, Math.ceil(niceStep(this.columns, (this.columns * this.cellW) / 60)));
		for (let c = 0; c < this.columns; c += every) {
			g.fillText(formatAxis(c * this.column, this.column), this.x(c), height - 14);
		}
	}

	choose([c, r]) {
		const from = (c + r / this.rows) * this.column;
		const now = this.app.state.time;
		this.app.setTime(now && Math.abs(now[0] - from) < 1e-9 ? null : [from, from + this.column / this.rows]);
	}

	clicked(e) {
		if (!this.brush.moved) {
			this.choose(this.cellAt(e));
		}
	}

	pressed(e) {
		const [dc, dr] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key] || [0, 0];
		const [c, r] = this.cursor || [0, 0];
		if (dc || dr) {
			this.cursor = [
				Math.min(this.columns - 1, Math.max(0, c + dc)),
				Math.min(this.rows - 1, Math.max(0, r + dr)),
			];
			this.app.say(this.cellText(this.cursor).join(": "));
			this.draw();
		} else if (e.key === "Enter" && this.cursor) {
			this.choose(this.cursor);
		} else if (e.key === "Escape") {
			this.cursor = null;
			this.app.setTime(null);
		} else {
			return;
		}
		e.preventDefault();
	}

	cellText([c, r]) {
		return [
			`at ${formatSeconds((c + r / this.rows) * this.column)}`,
			counted(this.counts[c * this.rows + r], "sample"),
		];
	}

	pointed(e) {
		if (!this.counts || e.offsetX < HEAT_LEFT) {
			this.app.tooltip(null);
			return;
		}
		const [title, line] = this.cellText(this.cellAt(e));
		this.app.tooltip(e, { title, lines: [line] });
	}
}

/* From a colour near the background over several hues: on light ones from yellow over red to violet, on dark ones the reverse. */
const HEAT_HUES = [
	[52, 92, 84],
	[34, 92, 66],
	[8, 80, 54],
	[330, 66, 40],
	[278, 60, 24],
];

function heatColour(v, dark) {
	const at = Math.min(0.999, Math.max(0, dark ? 1 - v : v)) * (HEAT_HUES.length - 1);
	const from = HEAT_HUES[Math.floor(at)];
	const to = HEAT_HUES[Math.floor(at) + 1];
	const part = at - Math.floor(at);
	/* hues go down through 0 */
	const hue = from[0] + (((to[0] - from[0] - 360) % 360) * part);
	return `hsl(${(hue + 360) % 360} ${from[1] + (to[1] - from[1]) * part}% ${from[2] + (to[2] - from[2]) * part}%)`;
}
