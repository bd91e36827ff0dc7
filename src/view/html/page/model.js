/*
 * From the state of the page (event, filters, span of time) to sums: one tree of keys, laid out in preorder, and what is
 * read off it. Everything is in typed arrays; the tree of 100,000 stacks is made anew in some tens of milliseconds.
 */

function compileRegex(text) {
	if (!text) {
		return null;
	}
	/* small letters find both, as in editors */
	return new RegExp(text, /[A-Z]/.test(text.replace(/\\./g, "")) ? "" : "i");
}

/* Weights of rows for an event: of the profile, and of its base where there is one. */
function rowWeights(p, state, base) {
	const event = state.event;
	const count = state.weight === "samples";
	const baseEvent = base ? p.head.events[event].base : undefined;
	const n = p.rowNode.length;
	const weight = new Float64Array(n);
	const before = base && baseEvent !== undefined ? new Float64Array(n) : null;
	for (let r = 0; r < n; r++) {
		const v = count ? p.rowSamples[r] : p.rowValue[r];
		if (p.rowEvent[r] === event) {
			weight[r] = v;
		} else if (before && p.rowEvent[r] === baseEvent) {
			before[r] = v;
		}
	}
	return { weight, before };
}

function logSelection(p, state) {
	const selected = state.time || state.cpu >= 0;
	return selected && p.logRow.length ? state : null;
}

/* Where a span of time or a CPU is chosen, a row counts for the share of its samples that lie there. */
function selectByLog(p, state, weight) {
	const n = p.rowNode.length;
	const all = new Uint32Array(n);
	const some = new Uint32Array(n);
	const from = state.time ? state.time[0] / p.timeUnit : -1;
	const to = state.time ? state.time[1] / p.timeUnit : Infinity;
	const cpu = state.cpu >= 0 ? state.cpu + 1 : 0;
	for (let i = 0; i < p.logRow.length; i++) {
		const row = p.logRow[i];
		const t = p.logTime[i];
		all[row]++;
		if (t >= from && t < to && (!cpu || p.logCpu[i] === cpu)) {
			some[row]++;
		}
	}
	for (let r = 0; r < n; r++) {
		weight[r] = all[r] ? (weight[r] * some[r]) / all[r] : 0;
	}
}

function selectByThread(p, state, weight) {
	for (let r = 0; r < weight.length; r++) {
		if (p.rowThread[r] !== state.thread) {
			weight[r] = 0;
		}
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
				re.test(p.strings[p.fnName[fn]]) || re.test(keys.file[key]) || re.test(keys.object[key])
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

function applyFilters(p, keys, state, weights) {
	const dropRows = (keep) => {
		for (let r = 0; r < p.rowNode.length; r++) {
			if (!keep[p.rowNode[r]]) {
				weights.weight[r] = 0;
				if (weights.before) {
					weights.before[r] = 0;
				}
			}
		}
	};
	const gone = new Uint8Array(p.nodes);
	const dropNodes = (test) => {
		for (let i = 0; i < p.nodes; i++) {
			gone[i] |= test(i) ? 1 : 0;
		}
	};
	if (state.focus) {
		dropRows(inherited(p, matchFrames(p, keys, state.focus)));
	}
	if (state.ignore) {
		dropRows(inherited(p, matchFrames(p, keys, state.ignore)).map((v) => 1 - v));
	}
	if (state.showFrom) {
		const below = inherited(p, matchFrames(p, keys, state.showFrom));
		dropRows(below);
		dropNodes((i) => !below[i]);
	}
	if (state.hide) {
		const hits = matchFrames(p, keys, state.hide);
		dropNodes((i) => hits[p.nodeFrame[i]]);
	}
	if (state.show) {
		const hits = matchFrames(p, keys, state.show);
		dropNodes((i) => !hits[p.nodeFrame[i]]);
	}
	if (!state.inlined) {
		dropNodes((i) => p.frameFlags[p.nodeFrame[i]] & 1);
	}
	return gone;
}

/* A trie of keys that grows: children are found by (parent, key). */
class Trie {
	/* nodes: how many there may come to be, for a start. */
	constructor(rootKey, nodes) {
		this.cap = 1024;
		while (this.cap < nodes && this.cap < 1 << 22) {
			this.cap *= 2;
		}
		this.mask = this.cap * 2 - 1;
		this.slots = new Int32Array(this.mask + 1);
		this.parent = new Int32Array(this.cap);
		this.key = new Int32Array(this.cap);
		this.self = new Float64Array(this.cap);
		this.selfBefore = new Float64Array(this.cap);
		this.n = 1;
		this.parent[0] = -1;
		this.key[0] = rootKey;
	}
	grow() {
		this.cap *= 2;
		for (const name of ["parent", "key", "self", "selfBefore"]) {
			const wider = new this[name].constructor(this.cap);
			wider.set(this[name]);
			this[name] = wider;
		}
		this.mask = this.cap * 2 - 1;
		this.slots = new Int32Array(this.mask + 1);
		for (let i = 1; i < this.n; i++) {
			let at = this.hash(this.parent[i], this.key[i]);
			while (this.slots[at]) {
				at = (at + 1) & this.mask;
			}
			this.slots[at] = i;
		}
	}
	hash(parent, key) {
		let h = Math.imul(parent, 0x9e3779b1) ^ Math.imul(key, 0x85ebca6b);
		h ^= h >>> 15;
		return (Math.imul(h, 0x2c1b3c6d) >>> 7) & this.mask;
	}
	child(parent, key) {
		let at = this.hash(parent, key);
		for (let id; (id = this.slots[at]); at = (at + 1) & this.mask) {
			if (this.parent[id] === parent && this.key[id] === key) {
				return id;
			}
		}
		if (this.n === this.cap) {
			this.grow();
			return this.child(parent, key);
		}
		this.slots[at] = this.n;
		this.parent[this.n] = parent;
		this.key[this.n] = key;
		return this.n++;
	}
}

/* Rows into a trie, below a node for their group where there is one. */
function mergeRows(p, keys, state, weights, gone, rootName) {
	const trie = new Trie(specialKey(keys, rootName, "root"), p.nodes);
	const memo = new Int32Array(p.nodes);
	const stamp = new Int32Array(p.nodes);
	const path = [];
	const groups = groupRows(p, keys, state, weights);
	for (let g = 0; g < groups.length; g++) {
		const top = groups[g].key < 0 ? 0 : trie.child(0, groups[g].key);
		const mark = g + 1;
		for (const r of groups[g].rows) {
			let node = p.rowNode[r];
			while (node >= 0 && stamp[node] !== mark) {
				path.push(node);
				node = p.parent[node];
			}
			let at = node >= 0 ? memo[node] : top;
			while (path.length) {
				node = path.pop();
				at = gone[node] ? at : trie.child(at, keys.of[p.nodeFrame[node]]);
				memo[node] = at;
				stamp[node] = mark;
			}
			trie.self[at] += weights.weight[r];
			if (weights.before) {
				trie.selfBefore[at] += weights.before[r];
			}
		}
	}
	return trie;
}

function threadName(p, t) {
	const comm = p.strings[p.threadComm[t]];
	return p.threadTid[t] ? `${comm} ${p.threadTid[t]}` : comm;
}

function groupRows(p, keys, state, weights) {
	const nameOf = {
		process: (r) => p.strings[p.threadComm[p.rowThread[r]]],
		pid: (r) => `${p.strings[p.threadComm[p.rowThread[r]]]} ${p.threadPid[p.rowThread[r]]}`,
		thread: (r) => threadName(p, p.rowThread[r]),
		tag: (r) => p.strings[p.rowTag[r]] || "(no labels)",
	}[state.group];
	const groups = [];
	const byName = new Map();
	for (let r = 0; r < p.rowNode.length; r++) {
		if (!weights.weight[r] && !(weights.before && weights.before[r])) {
			continue;
		}
		const name = nameOf ? nameOf(r) : "";
		let group = byName.get(name);
		if (!group) {
			group = { key: nameOf && name ? specialKey(keys, name, "group") : -1, rows: [] };
			byName.set(name, group);
			groups.push(group);
		}
		group.rows.push(r);
	}
	return groups;
}

/*
 * A trie as arrays in preorder: key, parent, depth, end (one behind the last callee), x (sum of what stands to the left),
 * total, self, and the same of the base. Widths are of `size`: the total, or the larger of both where values may be negative.
 */
function layOut(trie, keys, order) {
	const n = trie.n;
	const { parent, key, self, selfBefore } = trie;
	const total = self.slice(0, n);
	const before = selfBefore.slice(0, n);
	const size = new Float64Array(n);
	const count = new Int32Array(n).fill(1);
	for (let i = 0; i < n; i++) {
		size[i] = Math.abs(total[i]);
	}
	/* A callee's id is greater than its caller's: backwards, all of a node's callees are done before it. */
	for (let i = n - 1; i > 0; i--) {
		const up = parent[i];
		total[up] += total[i];
		before[up] += before[i];
		size[up] += size[i];
		count[up] += count[i];
	}
	const children = childLists(trie, keys, order, size);
	const l = {
		n,
		keys,
		key: new Int32Array(n),
		parent: new Int32Array(n),
		depth: new Uint16Array(n),
		end: new Int32Array(n),
		x: new Float64Array(n),
		size: new Float64Array(n),
		total: new Float64Array(n),
		self: new Float64Array(n),
		before: new Float64Array(n),
		selfBefore: new Float64Array(n),
		maxDepth: 0,
	};
	const place = new Int32Array(n);
	l.parent[0] = -1;
	for (let i = 0; i < n; i++) {
		const at = place[i];
		let next = at + 1;
		let x = l.x[at];
		for (let c = children.at[i]; c < children.at[i + 1]; c++) {
			const child = children.list[c];
			place[child] = next;
			l.parent[next] = at;
			l.depth[next] = l.depth[at] + 1;
			l.x[next] = x;
			next += count[child];
			x += size[child];
		}
		l.key[at] = key[i];
		l.end[at] = at + count[i];
		l.size[at] = size[i];
		l.total[at] = total[i];
		l.self[at] = self[i];
		l.before[at] = before[i];
		l.selfBefore[at] = selfBefore[i];
		l.maxDepth = l.depth[at] > l.maxDepth ? l.depth[at] : l.maxDepth;
	}
	return l;
}

function childLists(trie, keys, order, size) {
	const n = trie.n;
	const at = new Int32Array(n + 2);
	for (let i = 1; i < n; i++) {
		at[trie.parent[i] + 1]++;
	}
	for (let i = 0; i < n; i++) {
		at[i + 1] += at[i];
	}
	const fill = at.slice();
	const list = new Int32Array(n);
	for (let i = 1; i < n; i++) {
		list[fill[trie.parent[i]]++] = i;
	}
	const rank = order === "size" ? null : nameRanks(keys);
	for (let i = 0; i < n; i++) {
		if (at[i + 1] - at[i] > 1) {
			const part = list.subarray(at[i], at[i + 1]);
			if (rank) {
				part.sort((a, b) => rank[trie.key[a]] - rank[trie.key[b]]);
			} else {
				part.sort((a, b) => size[b] - size[a]);
			}
		}
	}
	return { at, list };
}

function nameRanks(keys) {
	if (keys.rank && keys.rank.length === keys.name.length) {
		return keys.rank;
	}
	const ids = keys.name.map((_, i) => i);
	ids.sort((a, b) => (keys.name[a] < keys.name[b] ? -1 : keys.name[a] > keys.name[b] ? 1 : a - b));
	keys.rank = new Uint32Array(ids.length);
	ids.forEach((id, i) => {
		keys.rank[id] = i;
	});
	return keys.rank;
}

/* The same stacks with the innermost frame first. */
function reversed(l, keys, order) {
	const trie = new Trie(l.key[0], l.n);
	for (let i = 1; i < l.n; i++) {
		if (!l.self[i] && !l.selfBefore[i]) {
			continue;
		}
		let at = 0;
		for (let j = i; j > 0; j = l.parent[j]) {
			at = trie.child(at, l.key[j]);
		}
		trie.self[at] += l.self[i];
		trie.selfBefore[at] += l.selfBefore[i];
	}
	return layOut(trie, keys, order);
}

/* Flat and cumulative values by key; a key counts once on each stack, however often it recurs. */
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

/* What a set of keys accounts for, each stack once. */
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

/* Callers and callees of a key: tries from it up and from it down. */
function sandwich(l, key, order) {
	const callers = new Trie(key);
	const callees = new Trie(key);
	const to = new Int32Array(l.n);
	for (let i = 0; i < l.n;) {
		if (l.key[i] !== key) {
			i++;
			continue;
		}
		let at = 0;
		for (let j = l.parent[i]; j > 0; j = l.parent[j]) {
			at = callers.child(at, l.key[j]);
		}
		callers.self[at] += l.total[i];
		callers.selfBefore[at] += l.before[i];
		for (let j = i; j < l.end[i]; j++) {
			to[j] = j === i ? 0 : callees.child(to[l.parent[j]], l.key[j]);
			callees.self[to[j]] += l.self[j];
			callees.selfBefore[to[j]] += l.selfBefore[j];
		}
		i = l.end[i];
	}
	return { callers: layOut(callers, l.keys, order), callees: layOut(callees, l.keys, order) };
}

/* Everything that depends on the state: made anew when it changes. */
class Model {
	constructor(p) {
		this.p = p;
		this.keysBy = {};
	}
	keysFor(by) {
		return (this.keysBy[by] = this.keysBy[by] || makeKeys(this.p, by));
	}
	update(state) {
		const p = this.p;
		const keys = this.keysFor(state.by);
		const weights = rowWeights(p, state, state.diff);
		this.all = weights.weight.reduce((a, b) => a + b, 0);
		if (logSelection(p, state)) {
			selectByLog(p, state, weights.weight);
		}
		if (state.thread >= 0) {
			selectByThread(p, state, weights.weight);
		}
		const gone = applyFilters(p, keys, state, weights);
		const trie = mergeRows(p, keys, state, weights, gone, "all");
		this.keys = keys;
		this.weights = weights;
		this.gone = gone;
		this.order = state.order;
		this.down = layOut(trie, keys, state.order);
		this.total = this.down.total[0];
		this.before = this.down.before[0];
		this.hasBase = !!weights.before;
		/* Shares are compared, so that recordings of different length can be. */
		this.scale = this.hasBase && this.before ? this.total / this.before : 1;
		this.upCache = this.sumCache = this.linesCache = null;
	}
	get up() {
		return (this.upCache = this.upCache || reversed(this.down, this.keys, this.order));
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
	/* Values of lines and of addresses: what stands there, and what passes through. */
	get lines() {
		return (this.linesCache = this.linesCache || sumByPlace(this.p, this.weights.weight));
	}
}

/* By "function:line" and "function@address": [flat, cum]. Inlined code counts at the address it was inlined to. */
function sumByPlace(p, weight) {
	const total = new Float64Array(p.nodes);
	const self = new Float64Array(p.nodes);
	for (let r = 0; r < weight.length; r++) {
		self[p.rowNode[r]] += weight[r];
	}
	total.set(self);
	for (let i = p.nodes - 1; i >= 0; i--) {
		if (p.parent[i] >= 0) {
			total[p.parent[i]] += total[i];
		}
	}
	const inlineSelf = self.slice();
	for (let i = p.nodes - 1; i >= 0; i--) {
		if (p.frameFlags[p.nodeFrame[i]] & 1 && p.parent[i] >= 0) {
			inlineSelf[p.parent[i]] += inlineSelf[i];
		}
	}
	const places = { line: new Map(), address: new Map(), fn: new Map(), source: new Map() };
	const open = new Map();
	const path = [];
	const add = (map, id, flat, cum, isOuter) => {
		let v = map.get(id);
		if (!v) {
			map.set(id, (v = [0, 0]));
		}
		v[0] += flat;
		v[1] += isOuter ? cum : 0;
	};
	for (let i = 0; i < p.nodes; i++) {
		while (path.length > p.depth[i]) {
			for (const id of path.pop()) {
				open.set(id, open.get(id) - 1);
			}
		}
		if (!total[i]) {
			path.push([]);
			continue;
		}
		const f = p.nodeFrame[i];
		const line = p.frameFn[f] + ":" + p.frameLine[f];
		const address = p.frameFn[f] + "@" + hexAddress(p.frameLow[f], p.frameHigh[f]);
		const source = "s" + p.fnFile[p.frameFn[f]] + ":" + p.frameLine[f];
		const ids = [line, address, p.frameFn[f], source];
		const isOuter = ids.map((id) => !open.get(id));
		path.push(ids);
		for (const id of ids) {
			open.set(id, (open.get(id) || 0) + 1);
		}
		add(places.fn, p.frameFn[f], self[i], total[i], isOuter[2]);
		add(places.source, source, self[i], total[i], isOuter[3]);
		add(places.line, line, self[i], total[i], isOuter[0]);
		add(places.address, address, inlineSelf[i], total[i], isOuter[1]);
	}
	return places;
}
