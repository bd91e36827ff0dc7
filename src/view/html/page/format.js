/* Numbers as people read them. */

const SCALES = {
	nanoseconds: [
		[1, "ns"],
		[1e3, "\u00b5s"],
		[1e6, "ms"],
		[1e9, "s"],
		[60e9, "min"],
		[3600e9, "h"],
	],
	microseconds: [
		[1e-3, "ns"],
		[1, "\u00b5s"],
		[1e3, "ms"],
		[1e6, "s"],
	],
	milliseconds: [
		[1, "ms"],
		[1e3, "s"],
		[60e3, "min"],
	],
	seconds: [
		[1e-3, "ms"],
		[1, "s"],
		[60, "min"],
		[3600, "h"],
	],
	bytes: [
		[1, "B"],
		[1024, "kB"],
		[1048576, "MB"],
		[1073741824, "GB"],
		[1099511627776, "TB"],
	],
	/* the third: in no unit that has others */
	count: [[1, "", true]],
};

/* pprof's names of the units that can be selected. */
const UNIT_NAMES = {
	ns: "ns nanosecond",
	"\u00b5s": "us \u00b5s microsecond",
	ms: "ms millisecond",
	s: "s sec second",
	min: "min minute",
	h: "h hr hour",
	B: "b byte",
	kB: "kb kbyte kilobyte",
	MB: "mb mbyte megabyte",
	GB: "gb gbyte gigabyte",
	TB: "tb tbyte terabyte",
};

/* Units are words of the profile: names of inherited properties are not units. */
function ownOf(table, name, otherwise) {
	return Object.hasOwn(table, name) ? table[name] : otherwise;
}

function scalesOf(unit) {
	return ownOf(SCALES, unit, [[1, unit, true]]);
}

/* A unit for all values, after the division: its scales are made when it is selected. */
function unitAs(unit, unitName, divideBy) {
	const divisor = Number(divideBy) || 1;
	const word = unitName.toLowerCase();
	const all = scalesOf(unit);
	const one = all.filter(([, shown]) =>
		ownOf(UNIT_NAMES, shown, "").split(" ").some((n) => n === word || n + "s" === word)
	);
	if (divisor === 1 && !one.length) {
		return unit;
	}
	const name = `${unit} ${one.length ? word : ""}/${divisor}`;
	SCALES[name] = (one.length ? one : all).map(([size, ...rest]) => [size * divisor, ...rest]);
	return name;
}

function plainUnit(head, state) {
	const event = head.events[state.event];
	if (!event || state.weight === "samples") {
		return "count";
	}
	/* The kernel counts them in nanoseconds; a recording says "msec", which is how `stat` shows them. */
	if (/^(cpu-clock|task-clock|(wall|wait|offcpu)-time)/.test(event.name)) {
		return "nanoseconds";
	}
	return event.unit || "count";
}

function unitOf(head, state) {
	return unitAs(plainUnit(head, state), state.unit, state.divideBy);
}

function grouped(v) {
	return Math.round(v).toLocaleString("en-US").replace(/,/g, "\u2009");
}

function counted(n, what) {
	return `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;
}

function formatValue(v, unit) {
	const scales = scalesOf(unit);
	let best = scales[0];
	for (const scale of scales) {
		best = Math.abs(v) >= scale[0] ? scale : best;
	}
	const [size, shown, isPlain] = best;
	const scaled = v / size;
	if (isPlain) {
		const isLong = Number.isInteger(scaled) || Math.abs(scaled) >= 100;
		return (isLong ? grouped(scaled) : scaled.toFixed(1)) + (shown && " " + shown);
	}
	return `${scaled.toFixed(Math.abs(scaled) >= 100 || (size === 1 && Number.isInteger(v)) ? 0 : 2)} ${shown}`;
}

function formatShare(v, total) {
	if (!total) {
		return "0%";
	}
	const share = (v / total) * 100;
	return (Math.abs(share) >= 99.95 && Math.abs(share) < 100.05 ? "100" : share.toFixed(2)) + "%";
}

function formatSeconds(s) {
	return s >= 100
		? s.toFixed(1) + " s"
		: s >= 1
			? s.toFixed(2) + " s"
			: s >= 1e-3
				? (s * 1e3).toFixed(1) + " ms"
				: (s * 1e6).toFixed(0) + " \u00b5s";
}

function formatChange(delta, total) {
	return (delta >= 0 ? "+" : "\u2212") + formatShare(Math.abs(delta), total);
}

/*
 * A name of at most so many letters: the arguments of templates are cut first, then the end. "<" opens arguments after a
 * letter, a digit or "_", or after a whole operator: it does not in operator<, nor in names such as <module>.
 */
function opensArguments(before) {
	return /(\w|\boperator\W{1,2} ?)$/.test(before) && !/\boperator[<>=-]?$/.test(before);
}

function shortName(name, letters) {
	let short = name;
	if (name.length > letters && name.includes("<")) {
		let depth = 0;
		short = "";
		for (let i = 0; i < name.length; i++) {
			const c = name[i];
			if (c === "<" && (depth || opensArguments(name.slice(Math.max(0, i - 12), i)))) {
				short += depth++ ? "" : "<\u2026";
			} else if (c === ">" && depth && name[i - 1] !== "-") {
				short += --depth ? "" : ">";
			} else if (!depth) {
				short += c;
			}
		}
		short = depth ? name : short;
	}
	return short.length <= letters ? short : short.slice(0, Math.max(0, letters - 1)) + "\u2026";
}

/* Steps of a scale that read well: 1, 2 or 5 times a power of ten. */
function niceStep(span, count) {
	const rough = span / Math.max(1, count);
	const power = Math.pow(10, Math.floor(Math.log10(rough)));
	return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= rough);
}
