/*
 * Intervals as pixels: a span with a column of its own is a box; a column that several share is divided among their states.
 */

/* "#rrggbb" as a word of an ImageData, whose bytes are red, green, blue, alpha. */
function wordOf(hex) {
	const v = parseInt(hex.slice(1), 16);
	return (0xff000000 | ((v & 0xff) << 16) | (v & 0xff00) | (v >> 16)) >>> 0;
}

/* Rows of pixels, painted span by span. */
class SpanPainter {
	constructor() {
		this.share = new Float64Array(KINDS.length);
	}

	resize(width, height, ground) {
		if (!this.image || this.image.width !== width || this.image.height !== height) {
			this.image = new ImageData(width, height);
			this.words = new Uint32Array(this.image.data.buffer);
		}
		this.width = width;
		this.height = height;
		this.words.fill(ground);
	}

	/* Lines [y0, y1) of columns [x0, x1). */
	box(x0, x1, y0, y1, word) {
		for (let y = Math.max(0, y0); y < Math.min(this.height, y1); y++) {
			this.words.fill(word, y * this.width + x0, y * this.width + x1);
		}
	}

	/* A column shared by several states: from the bottom, in the order of their kinds; sleeping gets the rest. */
	column(x, row) {
		const { share } = this;
		let y = row.bottom;
		for (let kind = 1; kind < share.length && x < this.width; kind++) {
			if (share[kind] > 0 && kind !== SLEEPING && kind !== POLLING) {
				const lines = Math.min(y - row.top, Math.max(1, Math.round(share[kind] * (row.bottom - row.top))));
				this.box(x, x + 1, y - lines, y, row.words[kind]);
				y -= lines;
			}
		}
		if (y === row.bottom && share[SLEEPING] + share[POLLING] > 0 && x < this.width) {
			this.box(x, x + 1, row.bottom - row.thin, row.bottom, row.words[SLEEPING]);
		}
		share.fill(0);
	}

	solid(x0, x1, row, kind, span) {
		const isThin = kind === SLEEPING || kind === POLLING;
		this.box(x0, x1, isThin ? row.bottom - row.thin : row.top, row.bottom, row.wordOf ? row.wordOf(span) : row.words[kind]);
		if (x1 - x0 > row.labelWidth) {
			row.labels.push({ x0, x1, row, span });
		}
	}

	/* n spans in time order; id(k): the kth one. */
	spans(data, n, id, view, row) {
		const { start, end, kind } = data;
		const scale = this.width / (view[1] - view[0]);
		let x = -1;
		for (let k = firstAfter(n, view[0], (m) => end[id(m)]); k < n; k++) {
			const i = id(k);
			if (start[i] >= view[1]) {
				break;
			}
			const from = Math.max(0, (start[i] - view[0]) * scale);
			const to = Math.min(this.width, (end[i] - view[0]) * scale);
			const x0 = Math.floor(from);
			const x1 = Math.floor(to);
			if (x0 !== x) {
				this.column(x, row);
				x = x0;
			}
			if (x0 === x1) {
				this.share[kind[i]] += to - from;
				continue;
			}
			this.share[kind[i]] += x0 + 1 - from;
			this.column(x, row);
			if (x1 > x0 + 1) {
				this.solid(x0 + 1, x1, row, kind[i], i);
			}
			x = x1;
			this.share[kind[i]] = to - x1;
		}
		this.column(x, row);
	}
}
