/*
 * A flame graph or icicle on a canvas: only what is visible is drawn. The canvas stays in view while the box around it
 * scrolls; a second canvas above it has the outline of the box under the mouse, so that moving the mouse redraws nothing.
 */

const ROW = 19;
const FONT = '12px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';
const LEAST_WIDTH = 0.3; /* pixels */
const LEAST_LETTERS = 4; /* of a truncated name */

class Flame {
	constructor(host, app, options) {
		this.host = host;
		this.app = app;
		this.options = options;
		this.colours = new Colours();
		this.box = element("div", {
			class: "flame",
			tabindex: "0",
			role: "group",
			"aria-roledescription": "flame graph",
			"aria-label": options.label,
		});
		this.canvas = element("canvas", { "aria-hidden": "true" });
		this.over = element("canvas", { class: "over", "aria-hidden": "true" });
		this.sticky = element("div", { class: "flame-sticky" }, this.canvas, this.over);
		this.spacer = element("div", { class: "flame-spacer" });
		this.box.append(this.sticky, this.spacer);
		host.append(this.box);
		this.hover = this.selected = -1;
		this.zoom = 0;
		this.drawMs = 0;
		this.box.addEventListener("scroll", () => this.scrolled());
		this.over.addEventListener("mousemove", (e) => this.pointed(e));
		this.over.addEventListener("mouseleave", () => this.setHover(-1));
		this.over.addEventListener("click", (e) => this.clicked(e));
		this.over.addEventListener(
			"dblclick",
			() => options.onPick && this.selected > 0 && options.onPick(this.selected),
		);
		this.over.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
		this.box.addEventListener("keydown", (e) => this.pressed(e));
		new ResizeObserver(() => this.resize()).observe(this.box);
	}

	/* Flames grow up from the lower edge: its distance must not change when the height of the box changes, which scrolls, too. */
	scrolled() {
		if (this.box.clientHeight === this.height) {
			this.below = this.contentHeight - this.height - this.box.scrollTop;
		}
		this.draw();
	}

	get icicle() {
		return this.options.icicle ? this.options.icicle() : true;
	}

	set(layout, mode) {
		const path = this.layout ? this.pathOf(this.zoom) : [];
		const wasIcicle = this.wasIcicle;
		this.layout = layout;
		this.colours.reset(layout.keys, mode);
		this.byDepth = null;
		this.hover = -1;
		this.zoom = this.findPath(path);
		this.selected = this.zoom || -1;
		this.view = this.extent(this.zoom);
		this.wasIcicle = this.icicle;
		this.zoomed();
		this.resize(wasIcicle !== this.icicle);
	}

	zoomed() {
		if (this.options.onZoom) {
			this.options.onZoom(this.zoom);
		}
	}

	extent(i) {
		const l = this.layout;
		return [l.x[i], l.x[i] + (l.size[i] || 1)];
	}

	/* Keys from the root down, which identify a place in another layout. */
	pathOf(i) {
		const path = [];
		for (; i > 0; i = this.layout.parent[i]) {
			path.push(this.layout.key[i]);
		}
		return path.reverse();
	}

	findPath(path) {
		let at = 0;
		for (const key of path) {
			let c = at + 1;
			while (c < this.layout.end[at] && this.layout.key[c] !== key) {
				c = this.layout.end[c];
			}
			if (c >= this.layout.end[at]) {
				break;
			}
			at = c;
		}
		return at;
	}

	resize(toRoot) {
		if (!this.layout || !this.box.clientWidth) {
			return;
		}
		const atRoot = toRoot || this.width === undefined;
		this.width = this.box.clientWidth;
		this.height = this.box.clientHeight;
		this.contentHeight = Math.max(this.height, (this.layout.maxDepth + 1) * ROW + 8);
		this.spacer.style.height = this.contentHeight - this.height + "px";
		this.sticky.style.height = this.height + "px";
		const ratio = window.devicePixelRatio || 1;
		for (const canvas of [this.canvas, this.over]) {
			canvas.width = Math.round(this.width * ratio);
			canvas.height = Math.round(this.height * ratio);
			canvas.style.width = this.width + "px";
			canvas.style.height = this.height + "px";
		}
		if (atRoot) {
			this.below = 0;
			this.box.scrollTop = this.icicle ? 0 : this.contentHeight;
		} else if (!this.icicle) {
			this.box.scrollTop = this.contentHeight - this.height - this.below;
		}
		this.draw();
	}

	/* Flames grow up from the lower edge of their own height, or of the window if that is lower. */
	y(depth) {
		const needed = Math.min(
			this.contentHeight,
			Math.max((this.layout.maxDepth + 1) * ROW + 4, this.height),
		);
		return this.icicle
			? depth * ROW - this.box.scrollTop
			: needed - (depth + 1) * ROW - 2 - this.box.scrollTop;
	}

	depthAt(y) {
		const top = this.y(0);
		return this.icicle ? Math.floor((y - top) / ROW) : Math.ceil((top - y) / ROW);
	}

	draw() {
		if (!this.layout || !this.width) {
			return;
		}
		const started = performance.now();
		const g = this.canvas.getContext("2d", { alpha: false });
		const ratio = window.devicePixelRatio || 1;
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		g.fillStyle = cssVar("--surface");
		g.fillRect(0, 0, this.width, this.height);
		g.font = FONT;
		g.textBaseline = "middle";
		this.letter = this.letter || g.measureText("MMMMMMMMMM").width / 10;
		this.drawBoxes(g);
		this.drawOver();
		this.drawMs = performance.now() - started;
	}

	drawBoxes(g) {
		const l = this.layout;
		const [from, to] = this.view;
		const scale = this.width / (to - from);
		const hits = this.app.searchHits;
		const ink = cssVar("--box-ink");
		const dark = isDark();
		const hitColour = dark ? "#c04fd8" : "#e58af7";
		const model = this.app.model;
		const zoomDepth = l.depth[this.zoom];
		const top = this.y(0);
		const step = this.icicle ? ROW : -ROW;
		const right = this.width;
		/* If many boxes share two pixels, only the first one of each row is drawn. */
		const taken = new Int32Array(l.maxDepth + 1).fill(-1);
		this.drawn = 0;
		for (let i = 0; i < l.n;) {
			const left = (l.x[i] - from) * scale;
			const width = l.size[i] * scale;
			const depth = l.depth[i];
			const isThin = width < 1;
			const slot = left >> 1;
			if (
				width < LEAST_WIDTH ||
				left > right ||
				left + width < 0 ||
				(isThin && slot <= taken[depth])
			) {
				i = l.end[i];
				continue;
			}
			taken[depth] = isThin ? slot : ((left + width) >> 1) - 1;
			const y = top + depth * step;
			if (y > -ROW && y < this.height) {
				const key = l.key[i];
				const x0 = left > 0 ? left : 0;
				const shown = (left + width < right ? left + width : right) - x0;
				g.fillStyle =
					hits && hits[key]
						? hitColour
						: changeColour(model, l.total[i], l.before[i], dark) || this.colours.of(key);
				if (depth < zoomDepth || (hits && !hits[key])) {
					g.globalAlpha = 0.55;
				}
				g.fillRect(x0, y, isThin ? 1.5 : shown > 3 ? shown - 1 : shown, ROW - 1);
				if (shown > 7 + 2 * this.letter) {
					g.fillStyle = ink;
					g.fillText(
						this.label(key, Math.floor((shown - 7) / this.letter)),
						x0 + 4,
						y + ROW / 2,
					);
				}
				g.globalAlpha = 1;
				this.drawn++;
			}
			i++;
		}
	}

	label(key, letters) {
		const name = this.layout.keys.name[key];
		return name.length <= letters ? name : letters < LEAST_LETTERS ? "" : shortName(name, letters);
	}

	drawOver() {
		const g = this.over.getContext("2d");
		const ratio = window.devicePixelRatio || 1;
		g.setTransform(ratio, 0, 0, ratio, 0, 0);
		g.clearRect(0, 0, this.width, this.height);
		for (const [i, width] of [
			[this.selected, 2],
			[this.hover, 1.5],
		]) {
			if (i >= 0 && i < this.layout.n) {
				const [from, to] = this.view;
				const scale = this.width / (to - from);
				const left = Math.max(0, (this.layout.x[i] - from) * scale);
				const right = Math.min(
					this.width,
					(this.layout.x[i] + this.layout.size[i] - from) * scale,
				);
				g.strokeStyle = cssVar("--ink");
				g.lineWidth = width;
				g.strokeRect(
					left + 1,
					this.y(this.layout.depth[i]) + 0.5,
					Math.max(1, right - left - 2),
					ROW - 2,
				);
			}
		}
	}

	/* The box at a position of the canvas, or -1. */
	at(x, y) {
		const l = this.layout;
		const depth = this.depthAt(y);
		const value = this.view[0] + (x / this.width) * (this.view[1] - this.view[0]);
		if (depth < 0 || depth > l.maxDepth) {
			return -1;
		}
		let i = 0;
		while (i < l.n && l.depth[i] < depth) {
			let c = i + 1;
			while (c < l.end[i] && l.x[c] + l.size[c] <= value) {
				c = l.end[c];
			}
			if (c >= l.end[i] || l.x[c] > value) {
				return -1;
			}
			i = c;
		}
		return value >= l.x[i] && value < l.x[i] + l.size[i] ? i : -1;
	}

	pointed(e) {
		const i = this.at(e.offsetX, e.offsetY);
		this.setHover(i);
		if (i >= 0) {
			this.app.tooltip(e, this.describe(i));
		} else {
			this.app.tooltip(null);
		}
	}

	setHover(i) {
		if (i !== this.hover) {
			this.hover = i;
			this.drawOver();
		}
		if (i < 0) {
			this.app.tooltip(null);
		}
	}

	describe(i) {
		const l = this.layout;
		return this.app.describe(l.key[i], l.total[i], l.self[i], l.before[i]);
	}

	clicked(e) {
		const i = this.at(e.offsetX, e.offsetY);
		if (i >= 0) {
			this.zoomTo(i);
		}
		this.box.focus({ preventScroll: true });
	}

	zoomTo(i) {
		this.zoom = this.selected = i;
		this.view = this.extent(i);
		this.draw();
		this.zoomed();
		this.app.select(this.layout.key[i], this.describe(i));
	}

	select(i) {
		this.selected = i;
		const y = this.y(this.layout.depth[i]);
		if (y < 0) {
			this.box.scrollTop += y - ROW;
		} else if (y > this.height - ROW) {
			this.box.scrollTop += y - this.height + 2 * ROW;
		}
		this.drawOver();
		this.app.select(this.layout.key[i], this.describe(i));
	}

	wheel(e) {
		if (e.ctrlKey || e.metaKey) {
			e.preventDefault();
			const factor = Math.exp(e.deltaY * 0.002);
			const [from, to] = this.view;
			const whole = this.extent(0);
			const at = from + (e.offsetX / this.width) * (to - from);
			this.view = [
				Math.max(whole[0], at - (at - from) * factor),
				Math.min(whole[1], at + (to - at) * factor),
			];
			this.draw();
		} else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
			e.preventDefault();
			const whole = this.extent(0);
			const span = this.view[1] - this.view[0];
			const by = ((e.shiftKey ? e.deltaY : e.deltaX) / this.width) * span;
			const from = Math.min(Math.max(whole[0], this.view[0] + by), whole[1] - span);
			this.view = [from, from + span];
			this.draw();
		}
	}

	pressed(e) {
		const l = this.layout;
		const i = Math.max(0, this.selected);
		const up = this.icicle ? "ArrowUp" : "ArrowDown";
		const down = this.icicle ? "ArrowDown" : "ArrowUp";
		let to = -1;
		const siblings = i > 0 ? calleesOf(l, l.parent[i]) : [i];
		if (e.key === down) {
			to = largestCallee(l, i);
		} else if (e.key === up && l.parent[i] >= 0) {
			to = l.parent[i];
		} else if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
			to = siblings[siblings.indexOf(i) + (e.key === "ArrowRight" ? 1 : -1)] ?? -1;
		} else if (e.key === "Enter") {
			this.zoomTo(i);
		} else if (e.key === "Escape" || e.key === "Backspace") {
			this.zoomTo(e.key === "Escape" ? 0 : Math.max(0, l.parent[this.zoom]));
		} else if (e.key !== down && e.key !== up) {
			return;
		}
		e.preventDefault();
		if (to >= 0) {
			this.select(to);
		}
	}
}
