/* The page of a time chart alone: its data, its buttons, and its state in the URL. */

const CHART_KEYS_HELP = [
	["left, right", "earlier, later"],
	["+  \u2212", "zoom in, zoom out"],
	["Shift and left, right", "the interval before, after"],
	["up, down", "the row above, below"],
	["Enter", "zoom to the interval"],
	["0, Esc", "all of the time"],
	["w", "wakeups on or off"],
	["u", "go to who woke it"],
	["/", "search for a task (a regular expression)"],
	["t", "dark or light"],
	["?", "this list"],
];

class ChartPage extends PageFrame {
	async start() {
		const started = performance.now();
		this.startTheme();
		try {
			const { head, c } = parseColumns(await inlineData(document.getElementById("data")));
			this.head = head;
			this.data = makeChart(head, c, readStrings(c.strings()));
		} catch (e) {
			document.getElementById("loading").textContent = "This recording cannot be shown: " + e.message;
			return;
		}
		document.getElementById("title").textContent = this.head.title;
		document.getElementById("totals").textContent =
			`${formatSeconds(this.data.ns / 1e9)}, ${counted(this.data.cpuPlaces.length, "CPU")}, ` +
			`${counted(this.data.tasks, "task")}, ${counted(this.data.kind.length, "interval")}`;
		document.getElementById("loading").hidden = true;
		this.chart = new Chart(document.getElementById("view-chart"), this, this.data, {});
		this.wire();
		this.fromAddress();
		this.startMs = performance.now() - started;
		document.body.dataset.ready = "yes";
	}

	refresh() {
		this.chart.recolour();
	}

	/* The time range and the search; a page in a frame without an origin cannot store them in the URL. */
	fromAddress() {
		const q = new URLSearchParams(location.hash.slice(1));
		const time = (q.get("time") || "").split(",").map((t) => Number(t) * 1e9);
		this.chart.show(time.length === 2 && time[1] > time[0] ? time : [0, this.data.ns], q.get("q") || "");
	}

	viewed([from, to], search) {
		clearTimeout(this.saving);
		this.saving = setTimeout(() => {
			const q = new URLSearchParams();
			if (from > 0 || to < this.data.ns) {
				q.set("time", [from, to].map((t) => (t / 1e9).toFixed(9)).join());
			}
			if (search) {
				q.set("q", search);
			}
			try {
				history.replaceState(null, "", "#" + q);
			} catch (e) {
				/* see above */
			}
		}, 300);
	}

	wire() {
		const on = (id, f) => document.getElementById(id).addEventListener("click", f);
		on("theme", () => this.toggleTheme());
		on("help", () => this.dialog("Keys", CHART_KEYS_HELP));
		on("about", () => this.dialog("About this recording", this.head.facts));
		on("dialog-close", () => document.getElementById("dialog").close());
		window.addEventListener("hashchange", () => this.fromAddress());
		document.addEventListener("keydown", (e) => this.pressed(e));
	}

	pressed(e) {
		const inField = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox";
		if (e.key === "Escape" && inField) {
			e.target.blur();
			return;
		}
		if (inField || e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || document.getElementById("dialog").open) {
			return;
		}
		const does = {
			"/": () => this.chart.search.focus(),
			t: () => this.toggleTheme(),
			"?": () => this.dialog("Keys", CHART_KEYS_HELP),
		}[e.key];
		if (does) {
			does();
			e.preventDefault();
		} else if (e.target.tagName !== "BUTTON" || e.key !== "Enter") {
			this.chart.pressed(e);
		}
	}
}

const page = new ChartPage();
/* For tests and debugging. */
window.strobe = page;
page.start();
