/*
 * From the state of the page (event, filters, time range) to sums: the weight of each row, the shape of the layout
 * (shape.js), and the values derived from it. Everything is in typed arrays.
 */

function compileRegex(text) {
	if (!text) {
		return null;
	}
	/* lower case matches both, as in editors */
	return new RegExp(text, /[A-Z]/.test(text.replace(/\\./g, "")) ? "" : "i");
}

/* Weights of rows for an event: of the profile, and of its base if there is one and it is not subtracted. */
function rowWeights(p, state) {
	const event = state.event;
	const count = state.weight === "samples";
	const baseEvent = state.diff ? p.head.events[event].base : undefined;
	const n = p.rowNode.length;
	const weight = new Float64Array(n);
	const before = baseEvent !== undefined && !p.head.subtracts ? new Float64Array(n) : null;
	for (let r = 0; r < n; r++) {
		const v = count ? p.rowSamples[r] : p.rowValue[r];
		if (p.rowEvent[r] === event) {
			weight[r] = v;
		} else if (p.rowEvent[r] !== baseEvent) {
			continue;
		} else if (before) {
			before[r] = v;
		} else {
			weight[r] = -v;
		}
	}
	return { weight, before };
}

/* The selected CPUs, as numbered in the log (0: unknown), or null: all. */
function chosenCpus(p, state) {
	const filters = [
		[state.tagFocus, true],
		[state.tagIgnore, false],
	]
		.filter(([text]) => text)
		.map(([text, expected]) => [new TagFilter(text), expected])
		.filter(([filter]) => filter.isCpu);
	if (state.cpu < 0 && !filters.length) {
		return null;
	}
	const nr = p.logCpu.reduce((a, b) => Math.max(a, b), 0) + 1;
	const out = new Uint8Array(nr);
	for (let c = 0; c < nr; c++) {
		const matches = filters.every(([f, expected]) => (c > 0 && f.matchesCpu(c - 1)) === expected);
		out[c] = (state.cpu < 0 || c === state.cpu + 1) && matches ? 1 : 0;
	}
	return out;
}

/* If a time range or a CPU is selected, a row counts for the share of its samples in it. */
function selectByLog(p, state, cpus, weight) {
	if (!p.logRow.length || (!state.time && !cpus)) {
		return;
	}
	const n = p.rowNode.length;
	const all = new Uint32Array(n);
	const some = new Uint32Array(n);
	const from = state.time ? state.time[0] / p.timeUnit : -1;
	const to = state.time ? state.time[1] / p.timeUnit : Infinity;
	for (let i = 0; i < p.logRow.length; i++) {
		const row = p.logRow[i];
		const t = p.logTime[i];
		all[row]++;
		if (t >= from && t < to && (!cpus || cpus[p.logCpu[i]])) {
			some[row]++;
		}
	}
	for (let r = 0; r < n; r++) {
		weight[r] = all[r] ? (weight[r] * some[r]) / all[r] : 0;
	}
}

function selectByThread(p, state, weight) {
	for (let r = 0; state.thread >= 0 && r < weight.length; r++) {
		if (p.rowThread[r] !== state.thread) {
			weight[r] = 0;
		}
	}
}

/*
 * A base was measured at another time, in other threads: if it is subtracted, it is scaled by the selected share of the
 * profile.
 */
function selectRows(p, state, cpus, weight) {
	const isOwn = (r) => p.rowEvent[r] === state.event;
	const ownSum = () => weight.reduce((sum, v, r) => (isOwn(r) ? sum + v : sum), 0);
	const whole = p.head.subtracts ? weight.slice() : null;
	const all = whole && ownSum();
	selectByLog(p, state, cpus, weight);
	selectByThread(p, state, weight);
	const share = whole && all ? ownSum() / all : 1;
	for (let r = 0; whole && r < weight.length; r++) {
		weight[r] = isOwn(r) ? weight[r] : whole[r] * share;
	}
}

/* For each frame whether a regular expression matches its function, file or object. */
function matchFrames(p, keys, text) {
	const re = compileRegex(text);
	const hits = new Uint8Array(p.frameFn.length);
	const byFn = new Map();
	for (let f = 0; re && f < hits.length; f++) {
		const fn = p.frameFn[f];
		let hit = byFn.get(fn);
		if (hit === undefined) {
			const key = keys.of[f];
			hit =
				re.test(p.strings[p.fnName[fn]]) || re.test(keys.file(key)) || re.test(keys.object(key))
					? 1
					: 0;
			byFn.set(fn, hit);
		}
		hits[f] = hit || (keys.by !== "functions" && re.test(keys.name[keys.of[f]])) ? 1 : 0;
	}
	return hits;
}

/* A flag of a node that its callees inherit. */
function inherited(p, hits) {
	const out = new Uint8Array(p.nodes);
	for (let i = 0; i < p.nodes; i++) {
		out[i] = hits[p.nodeFrame[i]] || (p.parent[i] >= 0 && out[p.parent[i]]) ? 1 : 0;
	}
	return out;
}

/* The rows that pass the filters of stacks and labels: a flag for each. */
function keptRows(p, keys, state) {
	const kept = new Uint8Array(p.rowNode.length).fill(1);
	const frames = (text, expected) => {
		const hits = text && inherited(p, matchFrames(p, keys, text));
		for (let r = 0; hits && r < kept.length; r++) {
			kept[r] &= hits[p.rowNode[r]] === expected ? 1 : 0;
		}
	};
	const labels = (text, expected) => {
		const filter = text && new TagFilter(text);
		const hits = filter && !filter.isCpu && matchRows(p, filter);
		for (let r = 0; hits && r < kept.length; r++) {
			kept[r] &= hits[r] === expected ? 1 : 0;
		}
	};
	frames(state.focus, 1);
	frames(state.ignore, 0);
	frames(state.showFrom, 1);
	labels(state.tagFocus, 1);
	labels(state.tagIgnore, 0);
	return kept;
}

/* Nodes that are not shown and count for their callers; null if all are shown. */
function goneNodes(p, keys, state) {
	if (!state.showFrom && !state.hide && !state.show && state.inlined) {
		return null;
	}
	const gone = new Uint8Array(p.nodes);
	const drop = (test) => {
		for (let i = 0; i < p.nodes; i++) {
			gone[i] |= test(i) ? 1 : 0;
		}
	};
	if (state.showFrom) {
		const below = inherited(p, matchFrames(p, keys, state.showFrom));
		drop((i) => !below[i]);
	}
	if (state.hide) {
		const hits = matchFrames(p, keys, state.hide);
		drop((i) => hits[p.nodeFrame[i]]);
	}
	if (state.show) {
		const hits = matchFrames(p, keys, state.show);
		drop((i) => !hits[p.nodeFrame[i]]);
	}
	if (!state.inlined) {
		drop((i) => p.frameFlags[p.nodeFrame[i]] & 1);
	}
	return gone;
}

function threadName(p, t) {
	const comm = p.strings[p.threadComm[t]];
	return p.threadTid[t] ? `${comm} ${p.threadTid[t]}` : comm;
}

/* The name of the group of a thread and a label set. */
function groupName(p, state) {
	const { group } = state;
	const isShown = shownLabels(state);
	return (
		{
			process: (t) => p.strings[p.threadComm[t]],
			pid: (t) => `${p.strings[p.threadComm[t]]} ${p.threadPid[t]}`,
			thread: (t) => threadName(p, t),
			tag: (_, tag) => tagLine(p, tag, isShown) || "(no labels)",
		}[group] || ((t, tag) => labelText(p, t, tag, group.slice("tag:".length)) || "(no such label)")
	);
}

/* Names of the groups, and the group of each row; each pair of thread and label set is looked up once. */
function groupRows(p, nameOf) {
	const groups = [];
	const byName = new Map();
	const known = new Map();
	const groupOf = new Uint32Array(p.rowNode.length);
	for (let r = 0; r < groupOf.length; r++) {
		const id = p.rowThread[r] * p.tags.sets + p.rowTag[r];
		let group = known.get(id);
		if (group === undefined) {
			const name = nameOf(p.rowThread[r], p.rowTag[r]);
			group = byName.get(name);
			if (group === undefined) {
				group = groups.length;
				byName.set(name, group);
				groups.push(name);
			}
			known.set(id, group);
		}
		groupOf[r] = group;
	}
	const sorted = [...groups].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
	const ranks = new Map(sorted.map((name, n) => [name, n]));
	const rank = groups.map((name) => ranks.get(name));
	return { groups: sorted, groupOf: groupOf.map((g) => rank[g]) };
}

/* Labels as frames, as with pprof's -tagleaf and -tagroot, below processes and other groups. */
function groupedRows(p, state, rows) {
	const valueOf = (key) => (t, tag) => labelText(p, t, tag, key) || "<unknown>";
	const keysOf = (text) => text.split(",").filter((key) => key);
	for (const key of keysOf(state.tagLeaf)) {
		const { groups, groupOf } = groupRows(p, valueOf(key));
		rows = leafedShape(rows.shape, rows.rowPlace, groupOf, groups);
	}
	for (const key of keysOf(state.tagRoot).reverse()) {
		const { groups, groupOf } = groupRows(p, valueOf(key));
		rows = groupedShape(rows.shape, rows.rowPlace, groupOf, groups, "label");
	}
	if (state.group !== "none") {
		const { groups, groupOf } = groupRows(p, groupName(p, state));
		rows = groupedShape(rows.shape, rows.rowPlace, groupOf, groups, "group");
	}
	return rows;
}

/* For each node, the innermost matching node on its path, itself included; itself if none matches. */
function prunedNodes(p, keys, text) {
	const hits = matchFrames(p, keys, text);
	const around = new Int32Array(p.nodes);
	const out = new Int32Array(p.nodes);
	for (let i = 0; i < p.nodes; i++) {
		around[i] = hits[p.nodeFrame[i]] ? i : p.parent[i] < 0 ? -1 : around[p.parent[i]];
		out[i] = around[i] < 0 ? i : around[i];
	}
	return out;
}

/* Flat and cumulative values by key; recursion counts once per stack. */
function sumByKey(l) {
	const nKeys = l.keys.name.length;
	const s = {
		flat: new Float64Array(nKeys),
		cum: new Float64Array(nKeys),
		flatBefore: new Float64Array(nKeys),
		cumBefore: new Float64Array(nKeys),
	};
	const open = new Int32Array(nKeys);
	const path = new Int32Array(l.maxDepth + 2);
	let level = 0;
	for (let i = 0; i < l.n; i++) {
		while (level > l.depth[i]) {
			open[path[--level]]--;
		}
		const key = l.key[i];
		path[level++] = key;
		s.flat[key] += l.self[i];
		s.flatBefore[key] += l.selfBefore[i];
		if (!open[key]++) {
			s.cum[key] += l.total[i];
			s.cumBefore[key] += l.before[i];
		}
	}
	return s;
}

/* The total of a set of keys, each stack once. */
function sumOfHits(l, hits) {
	let sum = 0;
	for (let i = 0; i < l.n;) {
		if (hits[l.key[i]]) {
			sum += l.total[i];
			i = l.end[i];
		} else {
			i++;
		}
	}
	return sum;
}

/* Everything that depends on the state: computed again when it changes. Shapes are cached as long as they may be used again. */
class Model {
	constructor(p) {
		this.p = p;
		this.keysBy = {};
		this.shapes = new Map();
	}
	keysFor(by) {
		return (this.keysBy[by] = this.keysBy[by] || makeKeys(this.p, by));
	}
	/* The result of make(), cached for the same words. */
	kept(words, make) {
		const id = JSON.stringify(words);
		const shape = this.shapes.get(id) || make();
		this.shapes.delete(id);
		this.shapes.set(id, shape);
		if (this.shapes.size > SHAPES_KEPT) {
			this.shapes.delete(this.shapes.keys().next().value);
		}
		return shape;
	}
	/* Computed again only if a filter changed: expressions are slow, and a brush moves fast. */
	keptRows(state, keys) {
		const { by, focus, ignore, showFrom, tagFocus, tagIgnore } = state;
		const id = JSON.stringify([by, focus, ignore, showFrom, tagFocus, tagIgnore]);
		if (this.keptId !== id) {
			this.rowsKept = keptRows(this.p, keys, state);
			this.keptId = id;
		}
		return this.rowsKept;
	}
	/* The tree of keys, with the place of each row in it. */
	shapeFor(state, keys) {
		const p = this.p;
		const { by, hide, show, showFrom, inlined, pruneFrom, group, tagRoot, tagLeaf, tagShow, tagHide } = state;
		const words = [by, hide, show, showFrom, inlined, pruneFrom];
		const rootKey = specialKey(keys, "all", "root");
		const whole = this.kept(words, () => {
			const gone = goneNodes(p, keys, state);
			const { shape, place } =
				gone || by !== "functions"
					? shapeOfNodes(p, keys, gone, rootKey)
					: shapeOfFile(p, keys, rootKey);
			const pruned = pruneFrom && prunedNodes(p, keys, pruneFrom);
			const rowPlace = new Int32Array(p.rowNode.length);
			for (let r = 0; r < rowPlace.length; r++) {
				const node = p.rowNode[r];
				rowPlace[r] = place[pruned ? pruned[node] : node];
			}
			return { shape, rowPlace };
		});
		return group === "none" && !tagRoot && !tagLeaf
			? whole
			: this.kept([...words, group, tagRoot, tagLeaf, tagShow, tagHide], () =>
					groupedRows(p, state, whole),
				);
	}
	update(state) {
		const p = this.p;
		const keys = this.keysFor(state.by);
		const weights = rowWeights(p, state);
		this.all = this.sumOfWeights(weights.weight);
		this.cpus = chosenCpus(p, state);
		selectRows(p, state, this.cpus, weights.weight);
		const kept = this.keptRows(state, keys);
		for (let r = 0; r < kept.length; r++) {
			weights.weight[r] *= kept[r];
			if (weights.before) {
				weights.before[r] *= kept[r];
			}
		}
		this.rows = this.shapeFor(state, keys);
		this.keys = keys;
		this.weights = weights;
		this.order = state.order;
		this.down = this.layOut(this.rows.shape, this.rows.rowPlace);
		this.net = this.down.total[0];
		/* Percentages of a difference are of all changes, up and down, as in pprof. */
		this.isDifference = weights.weight.some((v) => v < 0);
		this.total = this.isDifference ? this.sumOfWeights(weights.weight) : this.net;
		this.before = this.down.before[0];
		this.hasBase = !!weights.before;
		/* Percentages are compared, so that recordings of different length can be compared. */
		this.scale = this.hasBase && this.before ? this.total / this.before : 1;
		this.dropNegative = state.dropNegative;
		this.upCache = this.sumCache = this.linesCache = null;
	}
	/* For a stack of both, the difference counts. */
	sumOfWeights(weight) {
		const { p } = this;
		return sumOfSizes(p.head.subtracts ? sumRows(p.nodes, p.rowNode, weight) : weight);
	}
	/* Whether a value is large enough for lists and graphs, as in pprof. */
	isShown(flat, cum) {
		return (flat || cum) && !(this.dropNegative && (flat < 0 || (!flat && cum < 0)));
	}
	layOut(shape, rowPlace) {
		const made = layOut(
			shape,
			sumRows(shape.n, rowPlace, this.weights.weight),
			this.weights.before && sumRows(shape.n, rowPlace, this.weights.before),
		);
		return this.order === "size" ? bySize(made) : made;
	}
	get up() {
		const { rows } = this;
		rows.up = rows.up || reversedShape(rows.shape, rows.rowPlace);
		return (this.upCache = this.upCache || this.layOut(rows.up.shape, rows.up.rowPlace));
	}
	get sums() {
		return (this.sumCache = this.sumCache || sumByKey(this.down));
	}
	layout(state) {
		return state.bottomUp ? this.up : this.down;
	}
	search(text) {
		const re = compileRegex(text);
		const hits = new Uint8Array(this.keys.name.length);
		let count = 0;
		for (let k = 0; re && k < hits.length; k++) {
			hits[k] = this.keys.special[k] !== "root" && re.test(this.keys.name[k]) ? 1 : 0;
			count += hits[k];
		}
		return { hits, count, sum: sumOfHits(this.down, hits) };
	}
	/* Values of lines and addresses: flat and cumulative. */
	get lines() {
		this.places = this.places || makePlaces(this.p);
		return (this.linesCache = this.linesCache || sumByPlace(this.p, this.places, this.weights.weight));
	}
}

function sumOfSizes(values) {
	return values.reduce((a, b) => a + Math.abs(b), 0);
}

function sumRows(n, rowPlace, weight) {
	const out = new Float64Array(n);
	for (let r = 0; r < rowPlace.length; r++) {
		out[rowPlace[r]] += weight[r];
	}
	return out;
}

/* ---- places of the code: functions, lines of functions and of files, addresses ---- */

const PLACES = {
	fn: (p, f) => p.frameFn[f],
	line: (p, f) => p.frameFn[f] + ":" + p.frameLine[f],
	address: (p, f) => p.frameFn[f] + "@" + hexAddress(p.frameLow[f], p.frameHigh[f]),
	source: (p, f) => "s" + p.fnFile[p.frameFn[f]] + ":" + p.frameLine[f],
};

/* By kind: the list of places, and the index of each frame's place. */
function makePlaces(p) {
	const out = {};
	for (const [kind, idOf] of Object.entries(PLACES)) {
		const ids = [];
		const numbers = new Map();
		const of = new Uint32Array(p.frameFn.length);
		for (let f = 0; f < of.length; f++) {
			const id = idOf(p, f);
			let number = numbers.get(id);
			if (number === undefined) {
				number = ids.length;
				numbers.set(id, number);
				ids.push(id);
			}
			of[f] = number;
		}
		out[kind] = { ids, of };
	}
	return out;
}

/* By kind a map from places to [flat, cum]. Inlined code counts at the address that it was inlined to. */
function sumByPlace(p, places, weight) {
	const self = sumRows(p.nodes, p.rowNode, weight);
	const total = self.slice();
	for (let i = p.nodes - 1; i >= 0; i--) {
		if (p.parent[i] >= 0) {
			total[p.parent[i]] += total[i];
		}
	}
	const outer = self.slice();
	for (let i = p.nodes - 1; i >= 0; i--) {
		if (p.frameFlags[p.nodeFrame[i]] & 1 && p.parent[i] >= 0) {
			outer[p.parent[i]] += outer[i];
		}
	}
	const out = {};
	for (const [kind, { ids, of }] of Object.entries(places)) {
		out[kind] = sumByNumber(p, ids, of, kind === "address" ? outer : self, total);
	}
	return out;
}

/* A place counts once on each stack. */
function sumByNumber(p, ids, of, self, total) {
	const flat = new Float64Array(ids.length);
	const cum = new Float64Array(ids.length);
	const open = new Uint32Array(ids.length);
	const path = [];
	let level = 0;
	for (let i = 0; i < p.nodes; i++) {
		while (level > p.depth[i]) {
			open[path[--level]]--;
		}
		const number = of[p.nodeFrame[i]];
		path[level++] = number;
		flat[number] += self[i];
		cum[number] += open[number]++ ? 0 : total[i];
	}
	const map = new Map();
	ids.forEach((id, n) => {
		if (cum[n] || flat[n]) {
			map.set(id, [flat[n], cum[n]]);
		}
	});
	return map;
}
