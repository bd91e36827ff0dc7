/*
 * Shapes: trees of keys in preorder, without values. A shape depends on the granularity, on hidden frames
 * and on the grouping, but not on the event, the time range, the thread or the search: it is cached, and after a change of
 * those only the sums are computed again (see layOut()).
 *
 * A shape is { n, keys, key, parent, depth, end }, typed arrays by place; end is one past the last callee. Place 0 is the
 * root. Places without a value in a layout have no size there: they are skipped.
 */

const SHAPES_KEPT = 4;

/* One past the last callee of each place. */
function endsOf(depth) {
	const n = depth.length;
	const end = new Int32Array(n);
	const open = [];
	let level = 0;
	for (let i = 0; i < n; i++) {
		while (level > depth[i]) {
			end[open[--level]] = i;
		}
		open[level++] = i;
	}
	while (level) {
		end[open[--level]] = n;
	}
	return end;
}

function makeShape(keys, key, parent, depth) {
	return { n: key.length, keys, key, parent, depth, end: endsOf(depth) };
}

/* A trie of keys that grows: children are found by (parent, key). */
class Trie {
	/* nodes: the expected number. */
	constructor(rootKey, nodes) {
		this.cap = 1024;
		while (this.cap < nodes && this.cap < 1 << 22) {
			this.cap *= 2;
		}
		this.mask = this.cap * 2 - 1;
		this.slots = new Int32Array(this.mask + 1);
		this.parent = new Int32Array(this.cap);
		this.key = new Int32Array(this.cap);
		this.n = 1;
		this.parent[0] = -1;
		this.key[0] = rootKey;
	}
	grow() {
		this.cap *= 2;
		for (const name of ["parent", "key"]) {
			const wider = new Int32Array(this.cap);
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

/* Places of keys in the order of their names. */
function nameRanks(keys) {
	if (!keys.rank || keys.rank.length !== keys.name.length) {
		const ids = keys.name.map((_, i) => i);
		ids.sort((a, b) => (keys.name[a] < keys.name[b] ? -1 : keys.name[a] > keys.name[b] ? 1 : a - b));
		keys.rank = new Uint32Array(ids.length);
		ids.forEach((id, i) => {
			keys.rank[id] = i;
		});
	}
	return keys.rank;
}

/*
 * A tree as a shape: n nodes by parent and key, a parent's id is less than those of its children; siblings in the order of
 * compare. Returns the shape, and the place of each node in it.
 */
function orderedShape({ n, parent, key }, keys, compare) {
	const start = new Int32Array(n + 2);
	const count = new Int32Array(n).fill(1);
	for (let i = n - 1; i > 0; i--) {
		start[parent[i] + 1]++;
		count[parent[i]] += count[i];
	}
	for (let i = 0; i < n; i++) {
		start[i + 1] += start[i];
	}
	const fill = start.slice();
	const list = new Int32Array(n);
	for (let i = 1; i < n; i++) {
		list[fill[parent[i]]++] = i;
	}
	const place = new Int32Array(n);
	const out = { key: new Int32Array(n), parent: new Int32Array(n), depth: new Uint32Array(n) };
	out.parent[0] = -1;
	for (let i = 0; i < n; i++) {
		const at = place[i];
		if (start[i + 1] - start[i] > 1) {
			list.subarray(start[i], start[i + 1]).sort(compare);
		}
		out.key[at] = key[i];
		let next = at + 1;
		for (let c = start[i]; c < start[i + 1]; c++) {
			place[list[c]] = next;
			out.parent[next] = at;
			out.depth[next] = out.depth[at] + 1;
			next += count[list[c]];
		}
	}
	return { shape: makeShape(keys, out.key, out.parent, out.depth), place };
}

function namedShape(trie, keys) {
	const rank = nameRanks(keys);
	return orderedShape(trie, keys, (a, b) => rank[trie.key[a]] - rank[trie.key[b]]);
}

/* The tree of functions as the file has it: merged and in order. Returns the shape, and the places of the file's nodes. */
function shapeOfFile(p, keys, rootKey) {
	const { nodes, nodeBox, nodeFrame } = p;
	let n = 1;
	const place = new Int32Array(nodes);
	for (let i = 0; i < nodes; i++) {
		place[i] = (nodeBox ? nodeBox[i] : i) + 1;
		n = place[i] < n ? n : place[i] + 1;
	}
	const key = new Int32Array(n);
	const parent = new Int32Array(n);
	const depth = new Uint32Array(n);
	key[0] = rootKey;
	parent[0] = -1;
	for (let i = 0; i < nodes; i++) {
		const at = place[i];
		key[at] = keys.of[nodeFrame[i]];
		parent[at] = p.parent[i] < 0 ? 0 : place[p.parent[i]];
		depth[at] = p.depth[i] + 1;
	}
	return { shape: makeShape(keys, key, parent, depth), place };
}

/* Nodes merged by key; removed ones count for their callers. */
function shapeOfNodes(p, keys, gone, rootKey) {
	const trie = new Trie(rootKey, p.nodes);
	const at = new Int32Array(p.nodes);
	for (let i = 0; i < p.nodes; i++) {
		const up = p.parent[i] < 0 ? 0 : at[p.parent[i]];
		at[i] = gone && gone[i] ? up : trie.child(up, keys.of[p.nodeFrame[i]]);
	}
	const { shape, place } = namedShape(trie, keys);
	return { shape, place: at.map((node) => place[node]) };
}

/* Indexes sorted by a small integer of each. */
function orderBy(numbers, limit) {
	const at = new Uint32Array(limit + 1);
	for (let i = 0; i < numbers.length; i++) {
		at[numbers[i] + 1]++;
	}
	for (let v = 0; v < limit; v++) {
		at[v + 1] += at[v];
	}
	const order = new Uint32Array(numbers.length);
	for (let i = 0; i < numbers.length; i++) {
		order[at[numbers[i]]++] = i;
	}
	return order;
}

/* Typed arrays that grow together. */
class Places {
	constructor(n) {
		this.n = 0;
		this.key = new Int32Array(n);
		this.parent = new Int32Array(n);
		this.depth = new Uint32Array(n);
	}
	push(key, parent, depth) {
		if (this.n === this.key.length) {
			for (const name of ["key", "parent", "depth"]) {
				const wider = new this[name].constructor(this.n * 2);
				wider.set(this[name]);
				this[name] = wider;
			}
		}
		this.key[this.n] = key;
		this.parent[this.n] = parent;
		this.depth[this.n] = depth;
		return this.n++;
	}
}

/* Below the place of each row a node for its group. */
function leafedShape(shape, rowPlace, groupOf, groups) {
	const { keys } = shape;
	const rows = rowPlace.length;
	const grown = { n: shape.n, parent: new Int32Array(shape.n + rows), key: new Int32Array(shape.n + rows) };
	const known = new Map();
	grown.parent.set(shape.parent);
	grown.key.set(shape.key);
	const node = rowPlace.map((place, r) => {
		const id = place * groups.length + groupOf[r];
		let at = known.get(id);
		if (at === undefined) {
			at = grown.n++;
			known.set(id, at);
			grown.parent[at] = place;
			grown.key[at] = specialKey(keys, groups[groupOf[r]], "label");
		}
		return at;
	});
	const { shape: out, place } = namedShape(grown, keys);
	return { shape: out, rowPlace: node.map((i) => place[i]) };
}

/*
 * For each group a copy of the part of a shape that its rows use, below a node for the group. groupOf: by row; groups: names,
 * "" for rows without a group; kind: the kind of key of the nodes. Rows are taken in the order of their places, so that
 * the copies are in preorder.
 */
function groupedShape(shape, rowPlace, groupOf, groups, kind) {
	const { keys } = shape;
	const out = new Places(shape.n + groups.length);
	const stamp = new Int32Array(shape.n);
	const copy = new Int32Array(shape.n);
	const placeOf = new Int32Array(rowPlace.length);
	const path = [];
	const byPlace = orderBy(rowPlace, shape.n);
	const order = orderBy(
		byPlace.map((r) => groupOf[r]),
		groups.length,
	);
	out.push(shape.key[0], -1, 0);
	for (let n = 0, mark = -1, below = 0; n < order.length; n++) {
		const r = byPlace[order[n]];
		if (groupOf[r] !== mark) {
			mark = groupOf[r];
			below = groups[mark] ? 1 : 0;
			copy[0] = below ? out.push(specialKey(keys, groups[mark], kind), 0, 1) : 0;
			stamp[0] = mark + 1;
		}
		let at = rowPlace[r];
		while (stamp[at] !== mark + 1) {
			path.push(at);
			at = shape.parent[at];
		}
		let to = copy[at];
		while (path.length) {
			at = path.pop();
			to = out.push(shape.key[at], to, shape.depth[at] + below);
			copy[at] = to;
			stamp[at] = mark + 1;
		}
		placeOf[r] = to;
	}
	const part = (a) => a.subarray(0, out.n);
	return { shape: makeShape(keys, part(out.key), part(out.parent), part(out.depth)), rowPlace: placeOf };
}

/* The same stacks with the innermost frame first. */
function reversedShape(shape, rowPlace) {
	const trie = new Trie(shape.key[0], shape.n);
	const node = new Int32Array(shape.n);
	for (let r = 0; r < rowPlace.length; r++) {
		const i = rowPlace[r];
		let at = 0;
		if (i && !node[i]) {
			for (let j = i; j > 0; j = shape.parent[j]) {
				at = trie.child(at, shape.key[j]);
			}
			node[i] = at;
		}
	}
	const { shape: out, place } = namedShape(trie, shape.keys);
	return { shape: out, rowPlace: rowPlace.map((i) => place[node[i]]) };
}

/*
 * A shape with values: x (the sum to the left), total, self, and the same of the base. size is the width of a box:
 * the total, or the sum of the absolute self values if values may be negative. The arrays are reused when the
 * same shape is laid out again.
 */
function layOut(shape, self, selfBefore) {
	const { n, parent, depth } = shape;
	const l = (shape.layout = shape.layout || {
		...shape,
		x: new Float64Array(n),
		total: new Float64Array(n),
		nothing: new Float64Array(n),
	});
	l.self = self;
	l.total.set(self);
	l.selfBefore = selfBefore || l.nothing;
	l.before = selfBefore ? selfBefore.slice() : l.nothing;
	l.size = l.total;
	if (self.some((v) => v < 0)) {
		l.size = self.map(Math.abs);
		sumUp(l.size, parent);
	}
	sumUp(l.total, parent);
	if (selfBefore) {
		sumUp(l.before, parent);
	}
	const next = []; /* by depth: the start of the next one */
	l.maxDepth = 0;
	next[0] = 0;
	for (let i = 0; i < n; i++) {
		const d = depth[i];
		const x = next[d];
		l.x[i] = x;
		next[d] = x + l.size[i];
		next[d + 1] = x;
		if (d > l.maxDepth && (l.size[i] || l.before[i])) {
			l.maxDepth = d;
		}
	}
	return l;
}

/* A caller's place is before its callees': backwards, all of a node's callees are done before it. */
function sumUp(values, parent) {
	for (let i = values.length - 1; i > 0; i--) {
		values[parent[i]] += values[i];
	}
}

/* The next sibling with a value, from c on; end if there is none. */
function shownFrom(l, c, end) {
	while (c < end && !l.size[c] && !l.before[c]) {
		c = l.end[c];
	}
	return c;
}

/* Places of the callees with a value. */
function calleesOf(l, i) {
	const out = [];
	for (let c = shownFrom(l, i + 1, l.end[i]); c < l.end[i]; c = shownFrom(l, l.end[c], l.end[i])) {
		out.push(c);
	}
	return out;
}

function largestCallee(l, i) {
	return calleesOf(l, i).reduce((best, c) => (best < 0 || l.size[c] > l.size[best] ? c : best), -1);
}

/* Siblings by size instead of by name: a shape for this layout only. */
function bySize(l) {
	const { shape, place } = orderedShape(l, l.keys, (a, b) => l.size[b] - l.size[a] || a - b);
	const moved = (values) => {
		const out = new Float64Array(l.n);
		for (let i = 0; i < l.n; i++) {
			out[place[i]] = values[i];
		}
		return out;
	};
	return layOut(shape, moved(l.self), l.selfBefore === l.nothing ? null : moved(l.selfBefore));
}

/* Callers and callees of a key: tries from it up and from it down. */
function sandwich(l, key, order) {
	const halves = { callers: new Values(key), callees: new Values(key) };
	const { callers, callees } = halves;
	const to = new Int32Array(l.n);
	for (let i = 0; i < l.n;) {
		if (!l.size[i] && !l.before[i]) {
			i = l.end[i];
			continue;
		}
		if (l.key[i] !== key) {
			i++;
			continue;
		}
		let at = 0;
		for (let j = l.parent[i]; j > 0; j = l.parent[j]) {
			at = callers.trie.child(at, l.key[j]);
		}
		callers.add(at, l.total[i], l.before[i]);
		for (let j = i; j < l.end[i]; j++) {
			to[j] = j === i ? 0 : callees.trie.child(to[l.parent[j]], l.key[j]);
			callees.add(to[j], l.self[j], l.selfBefore[j]);
		}
		i = l.end[i];
	}
	return { callers: callers.layOut(l, order), callees: callees.layOut(l, order) };
}

/* A trie with values. */
class Values {
	constructor(rootKey) {
		this.trie = new Trie(rootKey, 0);
		this.self = [0];
		this.before = [0];
	}
	add(node, self, before) {
		while (this.self.length < this.trie.n) {
			this.self.push(0);
			this.before.push(0);
		}
		this.self[node] += self;
		this.before[node] += before;
	}
	layOut(l, order) {
		const { shape, place } = namedShape(this.trie, l.keys);
		const moved = (values) => {
			const out = new Float64Array(shape.n);
			for (let i = 0; i < values.length; i++) {
				out[place[i]] += values[i];
			}
			return out;
		};
		const made = layOut(shape, moved(this.self), l.selfBefore === l.nothing ? null : moved(this.before));
		return order === "size" ? bySize(made) : made;
	}
}
