/*
 * Filters by label, in pprof's words: "KEY=VALUE", or a value of any key. A value is a range of numbers with units ("32kb",
 * "1ms:", ":4mb", "1mb:4mb"), or else expressions separated by commas: without a key each of them must match some
 * "key:text", with one any of them the text. Labels are those of the profile, and comm, pid, tid, event and cpu.
 */

const UNITS = [
	{ b: 1, byte: 1, bytes: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30, tb: 2 ** 40, pb: 2 ** 50 },
	{ ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 60e9, hr: 3600e9, day: 86400e9 },
];
const LONG_UNITS = { nanosecond: "ns", microsecond: "us", millisecond: "ms", second: "s", minute: "min", hour: "hr" };

/* [quantity, factor of its smallest unit]; a unit in no table is a quantity of its own. */
function unitFactor(unit) {
	const small = unit.toLowerCase();
	const name = LONG_UNITS[small.replace(/s$/, "")] || small;
	const kind = UNITS.findIndex((units) => Object.hasOwn(units, name));
	return kind < 0 ? [-1, 1] : [kind, UNITS[kind][name]];
}

function parseRange(text) {
	const found = /^(?:([+-]?\d+)([a-z]*))?(?:(:)(?:([+-]?\d+)([a-z]*))?)?$/i.exec(text);
	if (!found || (found[1] === undefined && found[4] === undefined)) {
		return null;
	}
	const [, least, leastUnit, colon, most, mostUnit] = found;
	const bound = (value, unit) => {
		const [kind, factor] = unitFactor(unit);
		return { kind, value: Number(value) * factor };
	};
	const low = least === undefined ? null : bound(least, leastUnit);
	const high = most === undefined ? (colon ? null : low) : bound(most, mostUnit);
	return low && high && low.kind !== high.kind ? null : { kind: (low || high).kind, low, high };
}

class TagFilter {
	constructor(text) {
		const equals = text.indexOf("=");
		this.key = equals < 0 ? null : text.slice(0, equals);
		const value = text.slice(equals + 1);
		this.range = parseRange(value);
		this.patterns = this.range ? [] : value.split(",").map((s) => new RegExp(s));
	}
	inRange(value, unit) {
		const { kind, low, high } = this.range;
		const [own, factor] = unitFactor(unit);
		const scaled = value * factor;
		return (own === kind || own < 0) && (!low || scaled >= low.value) && (!high || scaled <= high.value);
	}
	/* labels: [key, text, number, unit]; text is null for numbers. */
	matches(labels) {
		const mine = labels.filter(([key]) => this.key === null || key === this.key);
		if (this.range) {
			/* a number of no unit whose key is "bytes" counts bytes */
			return mine.some(
				([key, text, number, unit]) => text === null && this.inRange(number, unit || key),
			);
		}
		const has = (re) =>
			mine.some(
				([key, text]) => text !== null && re.test(this.key === null ? key + ":" + text : text),
			);
		return this.key === null ? this.patterns.every(has) : this.patterns.some(has);
	}
	/* Only the log has CPUs, sample by sample. */
	get isCpu() {
		return this.key === "cpu";
	}
	matchesCpu(cpu) {
		return this.range ? this.inRange(cpu, "cpu") : this.patterns.some((re) => re.test(String(cpu)));
	}
}

function labelsOf(p, thread, tag, event) {
	const labels = [["event", p.head.events[event].name]];
	const comm = p.strings[p.threadComm[thread]];
	if (comm) {
		labels.push(["comm", comm]);
	}
	for (const [key, value] of [
		["pid", p.threadPid[thread]],
		["tid", p.threadTid[thread]],
	]) {
		if (value) {
			labels.push([key, null, value, ""]);
		}
	}
	const { first, key, value, number, unit, isNumber } = p.tags;
	for (let i = first[tag]; i < first[tag + 1]; i++) {
		labels.push([
			p.strings[key[i]],
			isNumber[i] ? null : p.strings[value[i]],
			number[i],
			p.strings[unit[i]],
		]);
	}
	return labels;
}

/* For each row whether its labels match; each set of labels is evaluated once. */
function matchRows(p, filter) {
	const out = new Uint8Array(p.rowNode.length);
	const known = new Map();
	const tags = p.tags.sets;
	const events = p.head.events.length;
	for (let r = 0; r < out.length; r++) {
		const id = (p.rowThread[r] * tags + p.rowTag[r]) * events + p.rowEvent[r];
		let hit = known.get(id);
		if (hit === undefined) {
			hit = filter.matches(labelsOf(p, p.rowThread[r], p.rowTag[r], p.rowEvent[r])) ? 1 : 0;
			known.set(id, hit);
		}
		out[r] = hit;
	}
	return out;
}

/* Whether the labels of a key are shown at all. */
function shownLabels(state) {
	const show = state.tagShow && new RegExp(state.tagShow);
	const hide = state.tagHide && new RegExp(state.tagHide);
	return (key) => (!show || show.test(key)) && !(hide && hide.test(key));
}

/* The keys of the profile's own labels that are shown. */
function tagKeys(p, state) {
	return [...new Set(p.tags.key)].map((id) => p.strings[id]).filter(shownLabels(state));
}

/* For a number that is not decimal the file has the text as well. */
function pairText(p, i) {
	const { value, number, unit, isNumber } = p.tags;
	return p.strings[value[i]] || (isNumber[i] ? number[i] + p.strings[unit[i]] : "");
}

/* The shown labels of a set as one line: "bytes:64, route:/index". */
function tagLine(p, tag, isShown) {
	const { first, key } = p.tags;
	const out = [];
	for (let i = first[tag]; i < first[tag + 1]; i++) {
		const name = p.strings[key[i]];
		if (isShown(name)) {
			out.push(name + ":" + pairText(p, i));
		}
	}
	return out.join(", ");
}

/* The value of a key in a thread or a label set, "" if neither has it. */
function labelText(p, thread, tag, tagName) {
	const { first, key } = p.tags;
	for (let i = first[tag]; i < first[tag + 1]; i++) {
		if (p.strings[key[i]] === tagName) {
			return pairText(p, i);
		}
	}
	const own = {
		comm: () => p.strings[p.threadComm[thread]],
		pid: () => p.threadPid[thread] || "",
		tid: () => p.threadTid[thread] || "",
	};
	return Object.hasOwn(own, tagName) ? String(own[tagName]()) : "";
}
