/* The page: its state, which is stored in the URL; its controls; the views. */

/* pprof: the name that pprof has for a view. */
const VIEWS = [
	{ id: "flamegraph", title: "Flame graph", pprof: "Flame Graph", key: "1" },
	{ id: "top", title: "Top", key: "2" },
	{ id: "tree", title: "Call tree", key: "3" },
	{ id: "peek", title: "Callers & callees", pprof: "Peek", key: "4" },
	{ id: "graph", title: "Graph", key: "5" },
	{ id: "source", title: "Source", key: "6" },
	{ id: "disasm", title: "Disassembly", pprof: "Disassemble", key: "7" },
	{ id: "timeline", title: "Timeline", key: "8" },
	{ id: "heatmap", title: "Heat map", key: "9" },
];

/* State, and its parameters in the URL: those of pprof where it has them. */
const PARAMS = {
	focus: "f",
	ignore: "i",
	hide: "h",
	show: "s",
	showFrom: "sf",
	pruneFrom: "prunefrom",
	tagFocus: "tf",
	tagIgnore: "ti",
	tagShow: "ts",
	tagHide: "th",
	tagRoot: "tagroot",
	tagLeaf: "tagleaf",
	by: "g",
	sort: "sort",
	search: "q",
	symbol: "fn",
	group: "group",
	colour: "color",
	order: "order",
	nodeCount: "n",
	nodeFraction: "nf",
	edgeFraction: "ef",
	unit: "unit",
	divideBy: "div",
};
const DEFAULTS = {
	view: "flamegraph",
	event: 0,
	weight: "value",
	focus: "",
	ignore: "",
	hide: "",
	show: "",
	showFrom: "",
	pruneFrom: "",
	tagFocus: "",
	tagIgnore: "",
	tagShow: "",
	tagHide: "",
	tagRoot: "",
	tagLeaf: "",
	by: "functions",
	group: "process",
	colour: "name",
	order: "name",
	sort: "flat",
	search: "",
	nodeCount: "80",
	nodeFraction: "0.005",
	edgeFraction: "0.001",
	unit: "",
	divideBy: "",
	symbol: "",
	time: null,
	thread: -1,
	cpu: -1,
	icicle: true,
	bottomUp: false,
	inlined: true,
	diff: true,
	callTree: false,
	dropNegative: false,
	profile: 0,
	unknown: [],
};
/* Switches, off unless the URL has them; chips reset them. */
const FLAGS = {
	callTree: ["calltree", "a box for each way"],
	dropNegative: ["dropneg", "nothing negative"],
};
/* Parameters that are read one by one; trim sets all three numbers of the graph; percentages are always of what is shown (rel). */
const OTHER_PARAMS = "view shape inverted noinlines weight diff p thread cpu time si trim rel".split(" ");
const NUMBERS = ["nodeCount", "nodeFraction", "edgeFraction", "divideBy"];

/* Values that pprof accepts for on and off; no value is on. */
const ON = /^(true|t|yes|y|1|)$/i;
const OFF = /^(false|f|no|n|0)$/i;
const isOn = (q, param) => q.has(param) && ON.test(q.get(param));

const KEYS_HELP = [
	["1 \u2026 9", "choose a view"],
	["/", "search (a regular expression)"],
	["f  i  h  s", "focus, ignore, hide, show"],
	["arrows", "move in a graph, a tree, a table, lanes or the heat map"],
	["Enter", "zoom in; open"],
	["Esc", "zoom out; leave a field"],
	["Backspace", "one level out"],
	["v", "flames or icicles"],
	["b", "callers first or callees first"],
	["c", "the next colouring"],
	["t", "dark or light"],
	["p", "callers and callees of what is chosen"],
	["r", "reset filters and span of time"],
	["?", "this list"],
];

/* Fields that filter the view, and the texts of their chips. */
const FILTERS = [
	["focus", "focus"],
	["ignore", "ignore"],
	["hide", "hide"],
	["show", "show"],
	["showFrom", "show from"],
	["pruneFrom", "prune from"],
	["tagFocus", "labels"],
	["tagIgnore", "not labels"],
	["tagShow", "show labels"],
	["tagHide", "hide labels"],
	["tagRoot", "labels as callers"],
	["tagLeaf", "labels as callees"],
];

const QUICK_MS = 40;

function fill(id, list) {
	const select = document.getElementById(id);
	select.replaceChildren(...list.map(([value, title]) => element("option", { value }, title)));
	select.closest("label").hidden = list.length < 2;
}

class App extends PageFrame {
	constructor() {
		super();
		this.state = { ...DEFAULTS };
		this.live = !document.getElementById("data");
		this.profiles = this.live ? JSON.parse(document.getElementById("profiles").textContent) : [];
		this.views = {};
		this.searchHits = null;
	}

	/* ---- the state in the URL ---- */

	readState() {
		const text = this.live ? location.search.slice(1) : location.hash.slice(1);
		const q = new URLSearchParams(text);
		const s = (this.state = {
			...DEFAULTS,
			event: this.p ? this.p.head.event : 0,
			group: this.hasThreads() ? "process" : "none",
			colour: this.defaultColour(),
		});
		for (const [name, param] of Object.entries(PARAMS)) {
			if (q.has(param)) {
				s[name] = q.get(param);
			}
		}
		this.readNumbers(q);
		for (const [name, [param]] of Object.entries(FLAGS)) {
			s[name] = isOn(q, param);
		}
		const flags = Object.values(FLAGS).map(([param]) => param);
		const known = new Set([...Object.values(PARAMS), ...flags, ...OTHER_PARAMS]);
		s.unknown = [...q].filter(([param]) => !known.has(param)).map((pair) => pair.join("="));
		const view = this.live ? location.pathname.slice(1) : q.get("view");
		s.view = VIEWS.some((v) => v.id === view) ? view : "flamegraph";
		s.group = /^(none|process|pid|thread|tag(:.*)?)$/.test(s.group) ? s.group : "none";
		s.by = GRANULARITIES.includes(s.by) ? s.by : "functions";
		s.colour = PALETTES.includes(s.colour) ? s.colour : this.defaultColour();
		s.icicle = q.get("shape") !== "flame";
		s.bottomUp = q.get("inverted") === "1";
		s.inlined = !isOn(q, "noinlines");
		s.weight = q.get("weight") === "samples" ? "samples" : "value";
		s.diff = q.get("diff") !== "0";
		s.profile = Number(q.get("p")) || 0;
		s.thread = this.numberParam(q, "thread", this.p ? this.p.threadComm.length : 0);
		s.cpu = this.numberParam(q, "cpu", 4096);
		const time = (q.get("time") || "").split(",").map(Number);
		s.time =
			q.get("time") && time.length === 2 && time.every(Number.isFinite) && time[0] < time[1]
				? time
				: null;
		if (this.p && q.has("si")) {
			this.chooseEvent(q.get("si"));
		}
	}

	readNumbers(q) {
		const s = this.state;
		for (const name of NUMBERS) {
			s[name] = s[name] && Number(s[name]) >= 0 ? s[name] : DEFAULTS[name];
		}
		if (OFF.test(q.get("trim") ?? "on")) {
			Object.assign(s, { nodeCount: "0", nodeFraction: "0", edgeFraction: "0" });
		}
	}

	numberParam(q, name, limit) {
		const v = q.has(name) ? Number(q.get(name)) : -1;
		return Number.isInteger(v) && v >= 0 && v < limit ? v : -1;
	}

	chooseEvent(name) {
		const found = this.p.head.events.findIndex((e, n) => e.name === name || String(n) === name);
		this.state.event = found >= 0 ? found : this.state.event;
	}

	saveState(push) {
		const s = this.state;
		const q = new URLSearchParams();
		for (const [name, param] of Object.entries(PARAMS)) {
			const usual = { group: this.hasThreads() ? "process" : "none", colour: this.defaultColour() }[name];
			if (s[name] !== (usual ?? DEFAULTS[name])) {
				q.set(param, s[name]);
			}
		}
		const extra = {
			shape: !s.icicle && "flame",
			inverted: s.bottomUp && "1",
			noinlines: !s.inlined && "1",
			weight: s.weight === "samples" && "samples",
			diff: !s.diff && "0",
			thread: s.thread >= 0 && s.thread,
			cpu: s.cpu >= 0 && s.cpu,
			p: s.profile && String(s.profile),
			time: s.time && s.time.map((t) => t.toFixed(6)).join(),
			si: this.p && s.event !== this.p.head.event && this.p.head.events[s.event].name,
		};
		for (const [name, value] of Object.entries(extra)) {
			if (
				(value !== false && value !== null && value !== undefined && value !== 0) ||
				(value === 0 && (name === "thread" || name === "cpu"))
			) {
				q.set(name, value);
			}
		}
		for (const [name, [param]] of Object.entries(FLAGS)) {
			if (s[name]) {
				q.set(param, "1");
			}
		}
		if (!this.live && s.view !== "flamegraph") {
			q.set("view", s.view);
		}
		const text = q.toString();
		const address = this.live ? `/${s.view}${text ? "?" + text : ""}` : `#${text}`;
		try {
			if (push) {
				history.pushState(null, "", address);
			} else {
				history.replaceState(null, "", address);
			}
		} catch (e) {
			/* a page in a frame without an origin cannot store it in the URL */
		}
	}

	/* ---- the data ---- */

	async load() {
		const inline = document.getElementById("data");
		let bytes;
		if (inline) {
			bytes = await inlineData(inline);
		} else {
			const answer = await fetch("/data?p=" + this.state.profile);
			if (!answer.ok) {
				throw new Error(await answer.text());
			}
			bytes = new Uint8Array(await answer.arrayBuffer());
		}
		this.p = parseProfile(bytes);
		if (this.p.head.countSamples) {
			this.p.rowValue = this.p.rowSamples;
		}
		this.model = new Model(this.p);
		this.hasLog = this.p.logTime.length > 0;
		this.timeSpan = Math.max(this.p.duration, this.p.timeUnit) * (1 + 1e-9);
	}

	async fetchListing(id) {
		try {
			const answer = await fetch(`/listing?p=${this.state.profile}&f=${id}`);
			return answer.ok ? await answer.json() : { problem: (await answer.text()).trim() };
		} catch (e) {
			return { problem: "The server does not answer: " + e.message };
		}
	}

	/* Objects are the most useful colours if there are several. */
	defaultColour() {
		return this.p && this.p.mapName.length > 1 ? "object" : "name";
	}

	hasThreads() {
		return !!this.p && this.p.threadComm.some((c) => this.p.strings[c]);
	}

	/* ---- changes ---- */

	change(some, push) {
		Object.assign(this.state, some);
		this.recount();
		this.saveState(push);
	}

	recount() {
		const started = performance.now();
		this.unit = unitOf(this.p.head, this.state);
		try {
			this.model.update(this.state);
			this.fillGroups();
			this.problem(this.whyEmpty());
		} catch (e) {
			if (!(e instanceof SyntaxError)) {
				throw e;
			}
			this.problem(e.message);
			return;
		}
		this.runSearch();
		this.refresh();
		this.recountMs = performance.now() - started;
	}

	/* Explains a page without boxes, which would look like a failure; null if there are some. */
	whyEmpty() {
		if (!this.p.rowNode.length) {
			return "This recording has no samples.";
		}
		return this.model.sums.cum.some((v) => v) ? null : "No sample passes the filters.";
	}

	problem(text) {
		const field = document.getElementById("problem");
		field.textContent = text || "";
		field.hidden = !text;
	}

	refresh() {
		this.showControls();
		this.strip.draw();
		this.view().update();
		this.showTotals();
	}

	setTime(time) {
		this.brushed = null;
		this.change({ time: time && time[1] > time[0] ? time : null });
	}

	/* While the mouse is held: views are updated at once if counting is fast, otherwise when it rests. */
	brushing(time) {
		this.brushed = time;
		if (this.recountMs > QUICK_MS) {
			this.strip.draw();
			if (this.state.view === "timeline" || this.state.view === "heatmap") {
				this.view().draw();
			}
		} else if (!this.frame) {
			this.frame = requestAnimationFrame(() => {
				this.frame = 0;
				if (this.brushed) {
					this.state.time = this.brushed;
					this.recount();
				}
			});
		}
	}

	get shownTime() {
		return this.brushed || this.state.time;
	}

	runSearch() {
		const field = document.getElementById("search");
		const said = document.getElementById("matched");
		this.searchHits = null;
		said.textContent = "";
		field.removeAttribute("aria-invalid");
		if (!this.state.search) {
			return;
		}
		try {
			const found = this.model.search(this.state.search);
			this.searchHits = found.hits;
			this.matched = found;
			said.textContent = `${found.count} names, ${formatShare(found.sum, this.model.total)}`;
		} catch (e) {
			field.setAttribute("aria-invalid", "true");
			said.textContent = "no regular expression";
		}
	}

	/* ---- views ---- */

	view() {
		const id = this.state.view;
		const host = document.getElementById("view-" + id);
		if (!this.views[id]) {
			const made = {
				flamegraph: () => new FlameView(host, this),
				top: () => new TopView(host, this),
				tree: () => new TreeView(host, this),
				peek: () => new SandwichView(host, this),
				graph: () => new GraphView(host, this),
				source: () => new CodeView(host, this, false),
				disasm: () => new CodeView(host, this, true),
				timeline: () => new TimelineView(host, this),
				heatmap: () => new HeatView(host, this),
			};
			this.views[id] = made[id]();
		}
		return this.views[id];
	}

	show(id) {
		this.state.view = id;
		this.tooltip(null);
		for (const v of VIEWS) {
			const tab = document.getElementById("tab-" + v.id);
			const on = v.id === id;
			tab.setAttribute("aria-selected", String(on));
			tab.tabIndex = on ? 0 : -1;
			if (on) {
				tab.scrollIntoView({ block: "nearest", inline: "nearest" });
			}
			document.getElementById("view-" + v.id).hidden = !on;
		}
		document.body.dataset.view = id;
	}

	goTo(id) {
		this.show(id);
		this.saveState(true);
		this.refresh();
	}

	openSandwich(key) {
		if (this.model.keys.isListed(key)) {
			this.chosen = key;
			this.state.symbol = this.model.keys.name[key];
			this.goTo("peek");
		}
	}

	/* ---- the selection ---- */

	describeKey(key) {
		const s = this.model.sums;
		return this.describe(key, s.cum[key], s.flat[key], s.cumBefore[key]);
	}

	describe(key, total, self, before) {
		const m = this.model;
		const keys = m.keys;
		const lines = [
			`${formatValue(total, this.unit)} (${formatShare(total, m.total)})` +
				(self ? `, self ${formatValue(self, this.unit)} (${formatShare(self, m.total)})` : ""),
		];
		if (m.hasBase) {
			const delta = total - before * m.scale;
			lines.push(`before ${formatShare(before * m.scale, m.total)}, ${formatChange(delta, m.total)}`);
		}
		const place = [
			keys.object(key),
			keys.file(key),
			keys.lang(key),
			keys.kernel(key) ? "kernel" : "",
		].filter((s) => s);
		if (place.length) {
			lines.push(place.join("  \u00b7  "));
		}
		return { title: keys.name[key], lines };
	}

	select(key, description) {
		this.chosen = key;
		const special = this.model.keys.special[key];
		document.getElementById("chosen-name").textContent = description.title;
		document.getElementById("chosen-lines").textContent = description.lines.join("   ");
		document.getElementById("chosen-actions").hidden = !!special;
		document.getElementById("chosen").hidden = false;
		this.say(description.title + ": " + description.lines[0]);
	}

	/* Actions on the selected function, by button or key. */
	act(what) {
		if (this.chosen === undefined || this.model.keys.special[this.chosen]) {
			return;
		}
		const name = this.model.keys.name[this.chosen];
		const exact = "^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$";
		if (what === "peek") {
			this.openSandwich(this.chosen);
		} else if (what === "source" || what === "disasm") {
			this.state.symbol = this.p.strings[this.p.fnName[this.model.keys.fn[this.chosen]]];
			this.goTo(what);
		} else if (what === "copy") {
			this.copy(name);
		} else {
			this.change(
				{
					[what]:
						this.state[what] && what !== "focus"
							? `${this.state[what]}|${exact}`
							: exact,
				},
				true,
			);
		}
	}

	copy(text) {
		const said = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject();
		said.then(
			() => this.say("copied"),
			() => this.say("the browser does not allow to copy"),
		);
	}

	/* ---- controls ---- */

	showControls() {
		const s = this.state;
		for (const name of [...FILTERS.map(([id]) => id), "search"]) {
			const field = document.getElementById(name);
			if (field !== document.activeElement) {
				field.value = s[name];
			}
			field.classList.toggle("set", !!s[name]);
		}
		for (const name of ["event", "weight", "by", "group", "colour", "order", "profile"]) {
			document.getElementById(name).value = s[name];
		}
		for (const name of ["icicle", "bottomUp", "inlined", "diff"]) {
			document.getElementById(name).checked = s[name];
		}
		const n = FILTERS.filter(([name]) => s[name]).length;
		document.getElementById("filters-nr").textContent = n ? String(n) : "";
		this.showChips();
	}

	/* The active filters, each with a button that removes it. */
	showChips() {
		const s = this.state;
		const chips = [];
		const chip = (text, undo) =>
			chips.push(
				element(
					"span",
					{ class: "chip" },
					text,
					element(
						"button",
						{ type: "button", "aria-label": "Remove " + text, onclick: undo },
						"\u00d7",
					),
				),
			);
		for (const [name, title] of FILTERS) {
			if (s[name]) {
				chip(`${title} ${s[name]}`, () => this.change({ [name]: "" }, true));
			}
		}
		for (const [name, [, title]] of Object.entries(FLAGS)) {
			if (s[name]) {
				chip(title, () => this.change({ [name]: false }, true));
			}
		}
		if (s.unknown.length) {
			chip("not known here: " + plainText(s.unknown.join(" ")), () => this.change({ unknown: [] }));
		}
		if (s.time) {
			chip(`${formatSeconds(s.time[0])} to ${formatSeconds(s.time[1])}`, () => this.setTime(null));
		}
		if (s.thread >= 0) {
			chip("thread " + threadName(this.p, s.thread), () => this.change({ thread: -1 }, true));
		}
		if (s.cpu >= 0) {
			chip("CPU " + s.cpu, () => this.change({ cpu: -1 }, true));
		}
		document.getElementById("chips").replaceChildren(...chips);
	}

	showTotals() {
		const m = this.model;
		const event = this.p.head.events[this.state.event];
		const part =
			Math.abs(m.total - m.all) > 1e-9
				? ` of ${formatValue(m.all, this.unit)} (${formatShare(m.total, m.all)})`
				: "";
		document.getElementById("totals").textContent =
			`${formatValue(m.net, this.unit)}${part} ${event ? event.name : ""}`;
	}

	reset() {
		this.change(
			{
				...Object.fromEntries(FILTERS.map(([name]) => [name, ""])),
				search: "",
				time: null,
				thread: -1,
				cpu: -1,
			},
			true,
		);
	}

	/* The choices, which depend on the labels that are shown. */
	fillGroups() {
		const keys = tagKeys(this.p, this.state);
		const groups = [["none", "nothing"]];
		if (this.hasThreads()) {
			groups.push(["process", "process name"], ["pid", "process"], ["thread", "thread"]);
		}
		if (keys.length) {
			groups.push(["tag", "labels"], ...keys.map((key) => ["tag:" + key, "label " + key]));
		}
		fill("group", groups);
	}

	fillSelects() {
		const events = this.p.head.events;
		fill(
			"event",
			events
				.map((e, n) => [String(n), e.name])
				.filter(([n]) => !events[n].isBase && (events[n].samples || this.p.head.valuesAreOne)),
		);
		fill(
			"profile",
			this.profiles.map((name, n) => [String(n), plainText(name)]),
		);
		fill(
			"weight",
			this.p.head.countSamples
				? [["value", "samples"]]
				: [
						["value", "values"],
						["samples", "samples"],
					],
		);
		document.getElementById("diff").closest("label").hidden = !events.some((e) => e.base !== undefined);
		document.getElementById("strip").hidden = !this.hasLog;
		document.getElementById("tab-timeline").hidden = !this.hasLog && !this.p.chart;
		document.getElementById("tab-heatmap").hidden = !this.hasLog;
		document.getElementById("title").textContent = this.p.head.title;
	}

	fillTabs() {
		const tabs = document.getElementById("tabs");
		tabs.replaceChildren(
			...VIEWS.map((v) =>
				element(
					"button",
					{
						type: "button",
						role: "tab",
						id: "tab-" + v.id,
						"aria-controls": "view-" + v.id,
						title: `${v.title} (${v.key})${v.pprof ? `, ${v.pprof} in pprof` : ""}`,
						"data-title": v.title,
						onclick: () => this.goTo(v.id),
					},
					v.title,
				),
			),
		);
		tabs.addEventListener("keydown", (e) => {
			const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
			if (step) {
				const shown = VIEWS.filter((v) => !document.getElementById("tab-" + v.id).hidden);
				const at = shown.findIndex((v) => v.id === this.state.view);
				const to = shown[(at + step + shown.length) % shown.length].id;
				this.goTo(to);
				document.getElementById("tab-" + to).focus();
			}
		});
		document.getElementById("views").replaceChildren(
			...VIEWS.map((v) =>
				element("section", {
					id: "view-" + v.id,
					class: "view view-" + v.id,
					role: "tabpanel",
					"aria-labelledby": "tab-" + v.id,
					hidden: "",
				}),
			),
		);
	}

	wire() {
		const on = (id, type, f) => document.getElementById(id).addEventListener(type, f);
		for (const name of ["weight", "by", "group", "colour", "order"]) {
			on(name, "change", (e) => this.change({ [name]: e.target.value }, true));
		}
		on("event", "change", (e) => this.change({ event: Number(e.target.value) }, true));
		on("profile", "change", (e) => {
			this.state.profile = Number(e.target.value);
			this.saveState();
			location.reload();
		});
		for (const name of ["icicle", "bottomUp", "inlined", "diff"]) {
			on(name, "change", (e) => this.change({ [name]: e.target.checked }, true));
		}
		for (const [name] of FILTERS) {
			on(name, "change", (e) => this.change({ [name]: e.target.value }, true));
		}
		let waiting = 0;
		on("search", "input", (e) => {
			clearTimeout(waiting);
			this.state.search = e.target.value;
			waiting = setTimeout(() => {
				this.runSearch();
				this.refresh();
				this.saveState();
			}, 60);
		});
		for (const button of document.querySelectorAll("[data-act]")) {
			button.addEventListener("click", () => this.act(button.dataset.act));
		}
		on("reset", "click", () => this.reset());
		on("theme", "click", () => this.toggleTheme());
		on("help", "click", () => this.showHelp());
		on("about", "click", () => this.showAbout());
		on("download", "click", () => this.showDownloads());
		on("dialog-close", "click", () => document.getElementById("dialog").close());
		document.addEventListener("keydown", (e) => this.pressed(e));
		window.addEventListener("popstate", () => this.fromAddress());
		window.addEventListener("hashchange", () => this.fromAddress());
	}

	fromAddress() {
		this.readState();
		this.show(this.state.view);
		this.recount();
	}

	pressed(e) {
		const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox";
		if (e.key === "Escape" && inField) {
			e.target.blur();
			return;
		}
		if (inField || e.ctrlKey || e.metaKey || e.altKey || document.getElementById("dialog").open) {
			return;
		}
		const view = VIEWS.find((v) => v.key === e.key);
		const go = (id) => {
			document.getElementById("filters").open =
				id !== "search" || document.getElementById("filters").open;
			document.getElementById(id).focus();
		};
		const does = {
			"/": () => go("search"),
			f: () => go("focus"),
			i: () => go("ignore"),
			h: () => go("hide"),
			s: () => go("show"),
			v: () => this.change({ icicle: !this.state.icicle }),
			b: () => this.change({ bottomUp: !this.state.bottomUp }),
			c: () =>
				this.change({
					colour: PALETTES[(PALETTES.indexOf(this.state.colour) + 1) % PALETTES.length],
				}),
			t: () => this.toggleTheme(),
			r: () => this.reset(),
			p: () => this.act("peek"),
			"?": () => this.showHelp(),
		}[e.key];
		if (view && !document.getElementById("tab-" + view.id).hidden) {
			this.goTo(view.id);
		} else if (does) {
			does();
		} else {
			return;
		}
		e.preventDefault();
	}

	/* ---- the rest ---- */

	showHelp() {
		this.dialog("Keys", KEYS_HELP);
	}

	showAbout() {
		const head = this.p.head;
		const rows = [...head.facts];
		if (this.p.duration) {
			rows.splice(1, 0, ["duration", formatSeconds(this.p.duration)]);
		}
		const lost = head.events.reduce((sum, e) => sum + e.lost, 0);
		if (lost || this.hasLog) {
			rows.push(["lost samples", lost ? grouped(lost) : "none"]);
		}
		for (const e of head.events.filter((one) => one.samples || one.lost || !/^dummy/.test(one.name))) {
			rows.push([
				e.name,
				counted(e.samples, "sample") + (e.lost ? `, ${grouped(e.lost)} lost` : ""),
			]);
		}
		rows.push([
			"stacks",
			`${grouped(this.p.rowNode.length)} rows, ${grouped(this.p.nodes)} frames in the tree`,
		]);
		if (head.logDropped) {
			rows.push(["not in the timeline", grouped(head.logDropped) + " samples beyond its limit"]);
		}
		this.dialog("About this profile", rows);
	}

	/* The formats: what is shown, as filtered; a served page also offers the whole profile for pprof. */
	showDownloads() {
		const row = (name, use, ending, save) => [
			name,
			element(
				"span",
				{},
				element("button", { type: "button", "data-format": ending, onclick: save }, `.${ending}`),
				` ${use}`,
			),
		];
		const rows = downloadsOf(this).map(([name, use, ending, make]) =>
			row(name, use, ending, () => saveFile(`profile.${ending}`, make())),
		);
		if (this.live) {
			const address = "/download?p=" + this.state.profile;
			rows.unshift(row("Profile", "all of it, for pprof", "pb.gz", () => location.assign(address)));
		}
		this.dialog("Download", rows);
	}

	folded() {
		const l = this.model.down;
		const lines = [];
		const path = [];
		for (let i = 1; i < l.n; i++) {
			path.length = l.depth[i] - 1;
			path.push(l.keys.name[l.key[i]].replace(/;/g, ":"));
			if (l.self[i]) {
				lines.push(path.join(";") + " " + Math.round(l.self[i]));
			}
		}
		return lines.join("\n") + "\n";
	}

	async start() {
		const started = performance.now();
		this.startTheme();
		this.fillTabs();
		this.readState();
		try {
			await this.load();
		} catch (e) {
			document.getElementById("loading").textContent = "This profile cannot be shown: " + e.message;
			return;
		}
		this.readState();
		this.fillSelects();
		this.strip = new TimeStrip(document.getElementById("strip"), this);
		this.wire();
		document.getElementById("loading").hidden = true;
		this.show(this.state.view);
		this.recount();
		this.startMs = performance.now() - started;
		document.body.dataset.ready = "yes";
	}
}

const LEGEND_ENTRIES = 10;
const CRUMBS = 6; /* of the path to a zoom: the innermost ones, and the root */

class FlameView {
	constructor(host, app) {
		this.app = app;
		this.legend = element("div", { class: "legend", "aria-label": "What colours stand for" });
		this.crumbs = element("nav", { class: "crumbs", "aria-label": "Where the graph is zoomed to", hidden: "" });
		host.append(this.legend, this.crumbs);
		this.flame = new Flame(host, app, {
			label: "Flame graph; arrows move, Enter zooms",
			onZoom: (i) => this.showCrumbs(i),
			icicle: () => app.state.icicle || app.state.bottomUp,
			onPick: (i) => app.openSandwich(this.flame.layout.key[i]),
		});
	}

	update() {
		this.showLegend();
		this.flame.set(this.app.model.layout(this.app.state), this.app.state.colour);
	}

	/* Breadcrumbs of a zoom: out of it, or to one of its callers. */
	showCrumbs(zoom) {
		const { layout } = this.flame;
		const parts = [];
		this.crumbs.hidden = zoom <= 0;
		for (let i = zoom; i >= 0 && parts.length < CRUMBS; i = layout.parent[i]) {
			parts.push(i);
		}
		if (parts[parts.length - 1] > 0) {
			parts.push(0);
		}
		const crumb = (i) => {
			const attributes = { type: "button", class: "link", "aria-current": i === zoom && "location" };
			return element("button", { ...attributes, onclick: () => this.flame.zoomTo(i) }, layout.keys.name[layout.key[i]]);
		};
		this.crumbs.replaceChildren(
			element("button", { type: "button", title: "Esc", onclick: () => this.flame.zoomTo(0) }, "\u2190 Zoom out"),
			...parts.reverse().map(crumb),
		);
	}

	showLegend() {
		const m = this.app.model;
		const entries =
			this.app.state.colour === "name" && !m.hasBase && !m.isDifference
				? []
				: legendOf(m, this.app.state.colour, isDark());
		const more = entries.length - LEGEND_ENTRIES;
		this.legend.hidden = !entries.length;
		this.legend.replaceChildren(
			...entries
				.slice(0, LEGEND_ENTRIES)
				.map(([name, colour, value]) =>
					element(
						"span",
						{},
						swatch(colour),
						value ? `${name} ${formatShare(value, m.total)}` : name,
					),
				),
			more > 0 ? `and ${more} more` : "",
		);
	}
}

const app = new App();
/* For tests and debugging. */
window.strobe = app;
app.start();
