/* Colours of boxes: by name, object, language, space or difference; and of the page's theme. */

const PALETTES = ["name", "object", "language", "space"];

function hashName(s) {
	let h = 0x811c9dc5;
	for (let i = 0; i < s.length; i++) {
		h = Math.imul(h ^ s.charCodeAt(i), 0x01000193);
	}
	h ^= h >>> 13;
	return (Math.imul(h, 0x5bd1e995) >>> 0) / 4294967296;
}

/* Hues that are easily distinguished; as many again lie between them. From red to violet: magenta is reserved for search results. */
const HUES = 12;
const HUE_STEP = 23;

/*
 * Hues by the name of a frame's group, the group with most samples first. Each has the hue that its name hashes to, so that
 * pages agree, or the next free one.
 */
function makeHues(p, nameOf) {
	const samples = new Map();
	for (let f = 0; f < p.frameFn.length; f++) {
		samples.set(nameOf(p.frameFn[f]), 0);
	}
	for (let r = 0; r < p.rowNode.length; r++) {
		const name = nameOf(p.frameFn[p.nodeFrame[p.rowNode[r]]]);
		samples.set(name, samples.get(name) + Math.abs(p.rowSamples[r]));
	}
	const hues = new Map();
	const taken = new Set();
	[...samples]
		.sort((a, b) => b[1] - a[1])
		.forEach(([name], n) => {
			if (n % HUES === 0) {
				taken.clear();
			}
			let slot = Math.floor(hashName(name) * HUES);
			/* the first ones not adjacent, as long as possible */
			const meets = (tries) => taken.has(slot) || (tries < HUES && (taken.has(slot - 1) || taken.has(slot + 1)));
			for (let tries = 0; meets(tries); tries++) {
				slot = (slot + 5) % HUES;
			}
			taken.add(slot);
			hues.set(name, (slot + (Math.floor(n / HUES) % 2) / 2) * HUE_STEP);
		});
	return hues;
}

function isDark() {
	return document.documentElement.dataset.theme === "dark";
}

/* Waiting is blue, runnable yellow, blocked red, all darker than code; wakers are pale. */
function waitColour(name, dark) {
	const hue = name.startsWith("[runnable") ? 44 : name.startsWith("[blocked") ? 0 : name.startsWith("[stopped") ? 276 : 215;
	const isWaker = !/^\[\w+: /.test(name);
	return isWaker ? `hsl(${hue} 14% ${dark ? 34 : 84}%)` : `hsl(${hue} ${dark ? 38 : 34}% ${dark ? 25 : 62}%)`;
}

function boxColour(keys, key, mode, dark) {
	const special = keys.special[key];
	const light = dark ? 43 : 72;
	if (keys.isWait(key)) {
		return waitColour(keys.name[key], dark);
	}
	if (special) {
		return dark ? "hsl(220 9% 34%)" : "hsl(220 12% 84%)";
	}
	const wobble = hashName(keys.name[key]);
	switch (mode) {
		case "object":
			return `hsl(${keys.hue(mode, key)} ${dark ? 38 : 62}% ${light - 2 + wobble * 6}%)`;
		case "language":
			return `hsl(${keys.hue(mode, key)} ${!keys.lang(key) ? 4 : dark ? 42 : 66}% ${light - 2 + wobble * 6}%)`;
		case "space":
			return keys.kernel(key)
				? `hsl(${18 + wobble * 10} ${dark ? 55 : 82}% ${light - 2 + wobble * 4}%)`
				: `hsl(${205 + wobble * 12} ${dark ? 38 : 62}% ${light + wobble * 6}%)`;
		default: {
			/* warm for programs, cooler for the kernel, as in other flame graphs */
			const hue = keys.kernel(key) ? 330 + wobble * 25 : 8 + wobble * 44;
			return `hsl(${hue} ${dark ? 52 : 82}% ${light - 4 + hashName(keys.name[key] + "l") * 8}%)`;
		}
	}
}

function waitName(name) {
	const [, state] = /^\[(\w+): /.exec(name) || [];
	return state === "runnable" ? "waits for a CPU" : state || "who ended waits";
}

/* The legend: [name, colour, self value], the largest first, what only calls others last. Colours by name have no meaning. */
function legendOf(model, mode, dark) {
	const { keys, sums } = model;
	const kindOf = {
		object: keys.object,
		language: (k) => keys.lang(k) || "not known",
		space: (k) => (keys.kernel(k) ? "kernel" : "user"),
	}[mode];
	const nameOf = kindOf && ((k) => (keys.isWait(k) ? waitName(keys.name[k]) : kindOf(k)));
	if (model.hasBase || model.isDifference) {
		return [
			[model.hasBase ? "a larger share than before" : "more than before", differenceColour(2, 1, 1, dark), 0],
			[model.hasBase ? "a smaller one" : "less", differenceColour(1, 2, 1, dark), 0],
		];
	}
	const found = new Map();
	for (let k = 0; nameOf && k < sums.flat.length; k++) {
		if ((sums.flat[k] || sums.cum[k]) && !keys.special[k]) {
			const name = nameOf(k) || "not known";
			const entry = found.get(name) || [name, hexColour(boxColour(keys, k, mode, dark)), 0];
			entry[2] += sums.flat[k];
			found.set(name, entry);
		}
	}
	return [...found.values()].sort((a, b) => b[2] - a[2]);
}

/* Red is more than before, blue is less; the saturation shows the change. */
function differenceColour(now, before, total, dark) {
	const delta = now - before;
	const strength = Math.min(1, Math.sqrt(Math.abs(delta) / Math.max(now, before, total * 1e-4)) * 0.85);
	if (strength < 0.03) {
		return dark ? "hsl(220 6% 38%)" : "hsl(220 10% 88%)";
	}
	return delta > 0
		? `hsl(4 ${30 + strength * 50}% ${dark ? 40 + strength * 14 : 90 - strength * 26}%)`
		: `hsl(214 ${30 + strength * 48}% ${dark ? 40 + strength * 14 : 90 - strength * 26}%)`;
}

/* Of a box of a comparison; otherwise null. */
function changeColour(model, now, before, dark) {
	return model.hasBase
		? differenceColour(now, before * model.scale, model.total, dark)
		: model.isDifference
			? differenceColour(Math.max(0, now), Math.max(0, -now), model.total, dark)
			: null;
}

/* The form that canvases parse fastest: "#rrggbb". */
function hexColour(css) {
	const g = (hexColour.context = hexColour.context || document.createElement("canvas").getContext("2d"));
	g.fillStyle = css;
	return g.fillStyle;
}

class Colours {
	constructor() {
		this.cache = [];
	}
	reset(keys, mode) {
		this.keys = keys;
		this.mode = mode;
		this.dark = isDark();
		this.cache = new Array(keys.name.length);
	}
	of(key) {
		return (
			this.cache[key] ||
			(this.cache[key] = hexColour(boxColour(this.keys, key, this.mode, this.dark)))
		);
	}
}

function cssVar(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
