/*
 * Layered layout of a call graph: callers above callees, values of calls beside their lines. Boxes have the even layers. Every
 * call passes the odd layers between them, where its value has a place of its own, so that values meet neither each other nor
 * lines nor boxes.
 *
 * The steps are Sugiyama's: break cycles, rank boxes, cut calls into links of one layer, order layers to reduce crossings, move
 * spots near their neighbours. A spot reaches `left` and `right` from its x, at which its line runs.
 * Sources: Sugiyama, Tagawa, Toda 1981; Gansner et al., "A Technique for Drawing Directed Graphs", 1993.
 */

const ORDER_SWEEPS = 16;
const PLACE_SWEEPS = 60;
const SWAPS_MOST = 4000; /* links up to which neighbours are swapped, which takes the square of their number */
const BOX_GAP = 24; /* between boxes, pixels */
const LINE_GAP = 10; /* beside lines */
const BAND_GAP = 17; /* between layers, at least */
const BAND_GAP_MOST = 64; /* if lines run far to the side */
const TEXT_BAND = 14; /* height of a layer of values */
const BEND_PULL = [1, 2, 8]; /* weight of a link by the number of its ends that are bends, so that long lines are straight */

/* edges: [{ from, to (indices of boxes), weight, textWidth (0: no text) }], the heaviest first. Returns { width, height, wires }. */
function layeredLayout(boxes, edges) {
	const spots = boxes.map((box) => ({
		box,
		left: box.width / 2,
		right: box.width / 2,
		height: box.height,
		x: 0,
		rank: 0,
		at: 0,
		up: [],
		down: [],
	}));
	const wires = breakCycles(spots, edges);
	rankSpots(spots, wires);
	cutWires(spots, wires);
	const layers = makeLayers(spots);
	orderLayers(layers);
	placeLayers(layers);
	const size = stackLayers(layers);
	for (const s of spots.slice(0, boxes.length)) {
		s.box.x = s.x - s.left;
		s.box.y = s.y - s.height / 2;
	}
	wires.forEach(routeWire);
	return { ...size, wires };
}

/* Calls with the spots at their ends; one that closes a cycle of heavier ones runs upwards: `back`. */
function breakCycles(spots, edges) {
	const callees = spots.map(() => []);
	const reaches = (from, to) => {
		const seen = new Set([from]);
		const open = [from];
		while (open.length) {
			const at = open.pop();
			if (at === to) {
				return true;
			}
			for (const next of callees[at]) {
				if (!seen.has(next)) {
					seen.add(next);
					open.push(next);
				}
			}
		}
		return false;
	};
	return edges.map((edge) => {
		const back = reaches(edge.to, edge.from);
		const [top, bottom] = back ? [edge.to, edge.from] : [edge.from, edge.to];
		callees[top].push(bottom);
		return { edge, back, top: spots[top], bottom: spots[bottom], bends: [] };
	});
}

/* Boxes are as high as their callers allow; those with more callees than callers move down to them. Ranks of boxes are even. */
function rankSpots(spots, wires) {
	const calls = new Map(spots.map((s) => [s, { in: [], out: [] }]));
	for (const w of wires) {
		calls.get(w.top).out.push(w.bottom);
		calls.get(w.bottom).in.push(w.top);
	}
	const waits = new Map(spots.map((s) => [s, calls.get(s).in.length]));
	const order = spots.filter((s) => !waits.get(s));
	for (let i = 0; i < order.length; i++) {
		for (const below of calls.get(order[i]).out) {
			below.rank = Math.max(below.rank, order[i].rank + 2);
			waits.set(below, waits.get(below) - 1);
			if (!waits.get(below)) {
				order.push(below);
			}
		}
	}
	for (const s of order.reverse()) {
		const { in: callers, out } = calls.get(s);
		if (out.length > callers.length) {
			s.rank = out.reduce((least, below) => Math.min(least, below.rank), Infinity) - 2;
		}
	}
}

/* A bend in each layer between the ends; the one with the value is near the middle. */
function cutWires(spots, wires) {
	for (const w of wires) {
		const textRank = w.top.rank + 1 + 2 * Math.floor((w.bottom.rank - w.top.rank - 1) / 4);
		let above = w.top;
		for (let rank = w.top.rank + 1; rank <= w.bottom.rank; rank++) {
			let below = w.bottom;
			if (rank < w.bottom.rank) {
				const text = rank === textRank && w.edge.textWidth;
				const size = text ? { left: 4, right: text + 10, height: TEXT_BAND } : { left: 4, right: 4, height: 0 };
				below = { ...size, x: 0, rank, at: 0, up: [], down: [] };
				w.text = text ? below : w.text;
				w.bends.push(below);
				spots.push(below);
			}
			const bendsNr = (above.box ? 0 : 1) + (below.box ? 0 : 1);
			const link = { up: above, down: below, weight: w.edge.weight * BEND_PULL[bendsNr] };
			above.down.push(link);
			below.up.push(link);
			above = below;
		}
	}
}

/* The first order is that of a walk along calls, the heaviest first. */
function makeLayers(spots) {
	const layers = [];
	const seen = new Set();
	const walk = (root) => {
		const open = [root];
		while (open.length) {
			const s = open.pop();
			if (seen.has(s)) {
				continue;
			}
			seen.add(s);
			(layers[s.rank] = layers[s.rank] || []).push(s);
			open.push(...s.down.map((link) => link.down).reverse());
		}
	};
	spots.filter((s) => s.box && !s.up.length).forEach(walk);
	numberLayers(layers);
	return layers;
}

function numberLayers(layers) {
	for (const layer of layers) {
		layer.forEach((s, i) => {
			s.at = i;
		});
	}
}

/* Crossings between a layer and the one below: inversions among links, counted in a Fenwick tree. */
function countCrossings(layer, below) {
	const sums = new Uint32Array(below.length + 2);
	let crossings = 0;
	for (let i = layer.length - 1; i >= 0; i--) {
		const ends = layer[i].down.map((link) => link.down.at);
		for (const end of ends) {
			for (let at = end; at; at &= at - 1) {
				crossings += sums[at];
			}
		}
		for (const end of ends) {
			for (let at = end + 1; at <= below.length; at += at & -at) {
				sums[at]++;
			}
		}
	}
	return crossings;
}

function allCrossings(layers) {
	let crossings = 0;
	for (let r = 0; r + 1 < layers.length; r++) {
		crossings += countCrossings(layers[r], layers[r + 1]);
	}
	return crossings;
}

function median(values) {
	values.sort((a, b) => a - b);
	const half = values.length >> 1;
	return values.length % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/* By the median of the neighbours above or below; what has none keeps its place. */
function orderLayer(layer, upper) {
	for (const s of layer) {
		const near = upper ? s.up.map((link) => link.up.at) : s.down.map((link) => link.down.at);
		s.wish = near.length ? median(near) : s.at;
	}
	layer.sort((a, b) => a.wish - b.wish || a.at - b.at);
	layer.forEach((s, i) => {
		s.at = i;
	});
}

/* Crossings of the links of two neighbours, if `a` is left of `b`. */
function crossingsOf(a, b) {
	let crossings = 0;
	for (const [links, end] of [
		["up", "up"],
		["down", "down"],
	]) {
		for (const x of a[links]) {
			for (const y of b[links]) {
				crossings += x[end].at > y[end].at ? 1 : 0;
			}
		}
	}
	return crossings;
}

function swapNeighbours(layers) {
	for (const layer of layers) {
		for (let i = 0; i + 1 < layer.length; i++) {
			const [a, b] = [layer[i], layer[i + 1]];
			if (crossingsOf(a, b) > crossingsOf(b, a)) {
				[layer[i], layer[i + 1]] = [b, a];
				[a.at, b.at] = [i + 1, i];
			}
		}
	}
}

function orderLayers(layers) {
	const links = layers.reduce((sum, layer) => sum + layer.reduce((n, s) => n + s.down.length, 0), 0);
	let best = layers.map((layer) => [...layer]);
	let fewest = allCrossings(layers);
	for (let sweep = 0; sweep < ORDER_SWEEPS && fewest; sweep++) {
		const upper = sweep % 2 === 0;
		for (let n = 1; n < layers.length; n++) {
			orderLayer(layers[upper ? n : layers.length - 1 - n], upper);
		}
		if (links <= SWAPS_MOST) {
			swapNeighbours(layers);
			swapNeighbours(layers);
		}
		const crossings = allCrossings(layers);
		if (crossings < fewest) {
			fewest = crossings;
			best = layers.map((layer) => [...layer]);
		}
	}
	best.forEach((layer, r) => {
		layers[r] = layer;
	});
	numberLayers(layers);
}

function spotDistance(a, b) {
	return a.right + b.left + (a.box && b.box ? BOX_GAP : LINE_GAP);
}

/* Spots as near to their wishes as possible without overlap: least squares, by pooling adjacent violators. */
function settleLayer(layer) {
	const blocks = [];
	let shift = 0;
	layer.forEach((s, i) => {
		shift += i ? spotDistance(layer[i - 1], s) : 0;
		let block = { at: s.wish - shift, weight: s.pull, spots: [s] };
		s.shift = shift;
		while (blocks.length && blocks[blocks.length - 1].at > block.at) {
			const before = blocks.pop();
			const weight = before.weight + block.weight;
			const at = (before.at * before.weight + block.at * block.weight) / weight;
			before.spots.push(...block.spots);
			block = { at, weight, spots: before.spots };
		}
		blocks.push(block);
	});
	for (const block of blocks) {
		for (const s of block.spots) {
			s.x = block.at + s.shift;
		}
	}
}

/* Downward passes align a layer to the one above, upward passes to the one below, later passes to both. */
function placeLayers(layers) {
	for (const layer of layers) {
		layer.forEach((s, i) => {
			s.x = i ? layer[i - 1].x + spotDistance(layer[i - 1], s) : 0;
		});
	}
	for (let sweep = 0; sweep < PLACE_SWEEPS; sweep++) {
		const downwards = sweep % 2 === 0;
		const both = sweep >= PLACE_SWEEPS / 2;
		for (let n = 0; n < layers.length; n++) {
			const layer = layers[downwards ? n : layers.length - 1 - n];
			for (const s of layer) {
				let sum = 0;
				s.pull = 0;
				for (const link of [...(downwards || both ? s.up : []), ...(!downwards || both ? s.down : [])]) {
					sum += link.weight * (link.up === s ? link.down : link.up).x;
					s.pull += link.weight;
				}
				s.wish = s.pull ? sum / s.pull : s.x;
				s.pull = s.pull || 1e-9;
			}
			settleLayer(layer);
		}
	}
}

/* Layers from top to bottom, further apart where lines run far to the side. */
function stackLayers(layers) {
	let y = 0;
	let left = Infinity;
	let right = -Infinity;
	layers.forEach((layer, r) => {
		const height = layer.reduce((most, s) => Math.max(most, s.height), 0);
		let aside = 0;
		for (const s of layer) {
			s.y = y + height / 2;
			s.band = [y, y + height];
			left = Math.min(left, s.x - s.left);
			right = Math.max(right, s.x + s.right);
			s.down.forEach((link) => {
				aside = Math.max(aside, Math.abs(link.down.x - s.x));
			});
		}
		y += height + (r + 1 < layers.length ? Math.min(BAND_GAP_MOST, Math.max(BAND_GAP, aside / 7)) : 0);
	});
	layers.flat().forEach((s) => {
		s.x -= left;
	});
	return { width: right - left, height: y };
}

/* Where a line leaves a box: towards its next spot. */
function portOf(spot, next) {
	return spot.x + Math.max(8 - spot.left, Math.min(spot.right - 8, (next.x - spot.x) * 0.12));
}

/* Points from the top to the bottom, upright beside boxes and values. */
function routeWire(w) {
	const first = portOf(w.top, w.bends[0]);
	const last = portOf(w.bottom, w.bends[w.bends.length - 1]);
	const points = [
		[first, w.top.y + w.top.height / 2],
		[first, w.top.band[1]],
		...w.bends.flatMap((s) => s.band.map((y) => [s.x, y])),
		[last, w.bottom.band[0]],
		[last, w.bottom.y - w.bottom.height / 2],
	];
	w.points = points.filter((p, i) => !i || p[1] - points[i - 1][1] > 0.01);
}

/* dx/dy at each point, so that x runs monotonically between points (Fritsch and Carlson 1980): no line leaves the way it was given. */
function slopesOf(points) {
	const secants = points.slice(1).map((p, i) => (p[0] - points[i][0]) / (p[1] - points[i][1]));
	return points.map((_, i) => {
		const [a, b] = [secants[i - 1] ?? secants[i], secants[i] ?? secants[i - 1]];
		return a * b > 0 ? (2 * a * b) / (a + b) : 0;
	});
}

/* The path of an SVG through points. */
function smoothPath(points) {
	const slopes = slopesOf(points);
	const at = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;
	let d = `M ${at(...points[0])}`;
	for (let i = 1; i < points.length; i++) {
		const [[x0, y0], [x1, y1]] = [points[i - 1], points[i]];
		const third = (y1 - y0) / 3;
		d += ` C ${at(x0 + slopes[i - 1] * third, y0 + third)}, ${at(x1 - slopes[i] * third, y1 - third)}, ${at(x1, y1)}`;
	}
	return d;
}
