/* The panel beside a time chart: the selected interval, the waker with its stack, and the times of the task. */

const HINTS = [
	"Click an interval to see what it is, its stack, and who woke it.",
	"Drag to move; Ctrl and the wheel zoom; Shift and drag choose a span of time; a double click zooms to an interval.",
	"Where many intervals share a column, the height of each colour is its share.",
];

class ChartInfo {
	constructor(chart) {
		this.chart = chart;
		this.box = element("aside", { class: "chart-info", "aria-label": "What is selected" });
		this.show(-1);
	}

	show(i) {
		this.box.replaceChildren(
			...(i < 0 ? HINTS.map((text) => element("p", { class: "faint" }, text)) : this.partsOf(i)),
		);
	}

	partsOf(i) {
		const d = this.chart.data;
		const t = d.owner[i];
		const fact = (key, value) => element("div", { class: "fact" }, element("dt", {}, key), element("dd", {}, value));
		const facts = [
			fact("state", element("span", {}, swatch(`var(${KINDS[d.kind[i]][1]})`), this.chart.stateOf(i))),
			fact("duration", formatNs(d.end[i] - d.start[i])),
			fact("from", formatExact((d.start[i] + d.offsetNs) / 1e9)),
			fact("to", formatExact((d.end[i] + d.offsetNs) / 1e9)),
		];
		if (d.cpu[i]) {
			facts.push(fact(d.kind[i] === RUNNING ? "CPU" : "last CPU", String(d.cpu[i] - 1)));
		}
		if (d.waits[i]) {
			facts.push(fact("sum of", `${counted(d.waits[i], "wait")} at one place, the last of which ended here`));
		}
		const wake = this.chart.wakeOf(i);
		if (wake >= 0) {
			facts.push(fact("woken by", this.wakerOf(wake)));
		}
		const wakeStack = wake >= 0 ? d.wake.stack[wake] : 0;
		const stack = (title, frames) =>
			frames.length
				? [
						element("h4", {}, title),
						element("ol", { class: "chart-stack" }, ...frames.map((f) => element("li", {}, f))),
					]
				: [];
		const act = (text, key, f) => element("button", { type: "button", title: key, onclick: f }, text);
		return [
			element("h3", {}, this.chart.taskName(t)),
			element(
				"div",
				{ class: "chart-acts" },
				act("\u2190 Before", "Shift and left", () => this.chart.step(-1)),
				act("After \u2192", "Shift and right", () => this.chart.step(1)),
				act("Zoom", "Enter", () => this.chart.zoomToSelected()),
			),
			element("dl", {}, ...facts),
			...(wakeStack === d.stack[i] ? [] : stack(this.stackTitle(i), d.frames(d.stack[i]))),
			...stack("Woken from", d.frames(wakeStack)),
			element("h4", {}, "This task"),
			element("dl", {}, ...this.sumsOf(t).map(([key, value]) => fact(key, value))),
		];
	}

	stackTitle(i) {
		const { kind, isSampled } = this.chart.data;
		return kind[i] !== RUNNING ? "Waits in" : isSampled ? "Sampled in" : "Left its CPU in";
	}

	wakerOf(w) {
		const from = this.chart.data.wake.from[w];
		if (from < FROM_TASK) {
			return from === FROM_INTERRUPT ? "an interrupt" : "a task that is not shown";
		}
		const t = from - FROM_TASK;
		const go = () => this.chart.goToTask(t, this.chart.data.wake.ns[w]);
		return element("button", { type: "button", class: "link", title: "Go there (u)", onclick: go }, this.chart.taskName(t));
	}

	sumsOf(t) {
		const d = this.chart.data;
		const all = KINDS.reduce((sum, _, kind) => sum + d.sum(t, kind), 0);
		return KINDS.map(([name], kind) => [name, d.sum(t, kind)])
			.filter(([, ns]) => ns > 0)
			.map(([name, ns]) => [name, `${formatNs(ns)} (${formatShare(ns, all)})`])
			.concat([["intervals", grouped(d.first[t + 1] - d.first[t])]]);
	}
}
