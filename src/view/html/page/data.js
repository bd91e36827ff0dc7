/*
 * The profile as typed arrays: unpacks what view/html/pack.h describes.
 *
 * Stacks are nodes in preorder; a row is (node, thread, event, samples, value, tag); the log is (time, cpu, row).
 */

const NONE = 0xffffffff;

/* Control characters, and invisible or bidirectional marks, become visible escapes. */
const UNSAFE = /[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function plainText(s) {
	return s.replace(UNSAFE, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

/* 13 bits in two letters, the lowest first (see view/html/letters.h). */
function bytesOfLetters(text, n) {
	const bytes = new Uint8Array(n);
	const digit = (i) => {
		const code = text.charCodeAt(i);
		return code - (code < 0x3c ? 0x23 : 0x24);
	};
	for (let at = 0, i = 0, held = 0, bits = 0; at < n; i += 2) {
		held |= (digit(i) * 91 + digit(i + 1)) << bits;
		for (bits += 13; bits >= 8 && at < n; bits -= 8) {
			bytes[at++] = held;
			held >>>= 8;
		}
	}
	return bytes;
}

/* The data in the page; it is removed from there. */
async function inlineData(element) {
	const packed = bytesOfLetters(element.textContent, Number(element.dataset.bytes));
	element.remove();
	return unpacked(packed, element.dataset.packing);
}

async function unpacked(bytes, packing) {
	if (packing !== "gzip") {
		return bytes;
	}
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Numbers from planes of bytes; a 32-bit typed array if they fit, otherwise a Float64Array. */
function readColumn(bytes, at, n, planes, coding) {
	if (coding === "plain" && planes === 1) {
		return bytes.subarray(at, at + n);
	}
	const signed = coding === "signed";
	const wide = planes > 4 || (coding !== "plain" && planes === 4);
	const out = wide ? new Float64Array(n) : signed ? new Int32Array(n) : new Uint32Array(n);
	let factor = 1;
	for (let plane = 0; plane < planes; plane++) {
		const from = at + plane * n;
		if (wide) {
			for (let i = 0; i < n; i++) {
				out[i] += bytes[from + i] * factor;
			}
			factor *= 256;
		} else {
			const shift = plane * 8;
			for (let i = 0; i < n; i++) {
				out[i] |= bytes[from + i] << shift;
			}
		}
	}
	if (coding !== "plain") {
		unfold(out, wide, signed);
	}
	return out;
}

/* 0, -1, 1, -2 ... are stored as 0, 1, 2, 3 ...; differences are summed up. */
function unfold(out, wide, signed) {
	let sum = 0;
	for (let i = 0; i < out.length; i++) {
		const half = wide ? Math.floor(out[i] / 2) : out[i] >>> 1;
		const v = wide ? (out[i] - half * 2 ? -half - 1 : half) : half ^ -(out[i] & 1);
		sum = signed ? v : sum + v;
		out[i] = sum;
	}
}

/* The escaped header, and the columns by name: numbers, or functions that return text. */
function parseColumns(bytes) {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	if (bytes.length < 8 || String.fromCharCode(...bytes.subarray(0, 4)) !== "STRB") {
		throw new Error("this is not the data of a profile");
	}
	const headBytes = view.getUint32(4, true);
	const decoder = new TextDecoder();
	const head = JSON.parse(decoder.decode(bytes.subarray(8, 8 + headBytes)));
	const c = {};
	let at = 8 + headBytes;
	for (const [name, n, planes, coding] of head.columns) {
		if (at + n * planes > bytes.length) {
			throw new Error("the data of the profile ends too early");
		}
		/* Text may be megabytes of listings that are never shown. */
		const part = bytes.subarray(at, at + n);
		c[name] =
			coding === "text" ? () => decoder.decode(part) : readColumn(bytes, at, n, planes, coding);
		at += n * planes;
	}
	head.title = plainText(head.title);
	head.facts = head.facts.map((pair) => pair.map(plainText));
	return { head, c };
}

function parseProfile(bytes) {
	const { head, c } = parseColumns(bytes);
	return makeProfile(plainEvents(head), c);
}

/* Branches as callers and depths of nodes (see pack_branches()). */
function readBranches(c) {
	const runs = c["branch.run"];
	const ups = c["branch.up"];
	const levels = c["branch.level"];
	const n = c["node.callee"].length;
	const parent = new Int32Array(n);
	const depth = new Uint32Array(n);
	const path = [-1];
	for (let b = 0, i = 0, level = 0; b < runs.length; b++) {
		for (const end = i + runs[b]; i < end; i++) {
			parent[i] = path[level];
			depth[i] = level;
			path[++level] = i;
		}
		level = ups ? level - ups[b] : levels[b];
	}
	return { nodes: n, parent, depth };
}

/* Frames of nodes, encoded by the callees of their callers' frames so far (see pack_callees()). */
function readFrames(c, parent) {
	const codes = c["node.callee"];
	const news = c["callee.frame"];
	const counts = c["callees.nr"];
	const start = new Uint32Array(counts.length + 1);
	for (let f = 0; f < counts.length; f++) {
		start[f + 1] = start[f] + counts[f];
	}
	const fill = start.slice();
	const callees = new Uint32Array(news.length);
	const frame = new Uint32Array(codes.length);
	for (let i = 0, next = 0; i < codes.length; i++) {
		const caller = parent[i] < 0 ? 0 : frame[parent[i]] + 1;
		const code = codes[i];
		frame[i] = code ? callees[start[caller] + code - 1] : (callees[fill[caller]++] = news[next++]);
	}
	return frame;
}

/* Nodes of rows: 0 is the next leaf, n is n - 1 nodes after the previous one. */
function readRows(codes, depth) {
	const out = new Uint32Array(codes.length);
	const last = depth.length - 1;
	for (let r = 0, at = -1; r < codes.length; r++) {
		if (codes[r]) {
			at += codes[r] - 1;
		} else {
			at++;
			while (at < last && depth[at + 1] > depth[at]) {
				at++;
			}
		}
		out[r] = at;
	}
	return out;
}

/* The start of each label set's pairs (set 0 has none), and the pairs. */
function readTags(c) {
	const counts = c["tag.pairs"];
	const sets = counts.length + 1;
	const first = new Uint32Array(sets + 1);
	for (let i = 0; i < counts.length; i++) {
		first[i + 2] = first[i + 1] + counts[i];
	}
	return {
		sets,
		first,
		key: c["pair.key"],
		value: c["pair.text"],
		number: c["pair.number"],
		unit: c["pair.unit"],
		isNumber: c["pair.isNumber"],
	};
}

function readStrings(text) {
	const strings = text.split("\0");
	UNSAFE.lastIndex = 0;
	return UNSAFE.test(text) ? strings.map(plainText) : strings;
}

/* Texts of tables are escaped when they are read. */
function plainEvents(head) {
	for (const e of head.events) {
		e.name = plainText(e.name);
		e.unit = plainText(e.unit);
	}
	return head;
}

function makeProfile(head, c) {
	const branches = readBranches(c);
	const timeUnit = head.timeUnitNs / 1e9;
	const strings = readStrings(c.strings());
	return {
		head,
		strings,
		chart: head.chart ? makeChart(head, c, strings) : null,
		...branches,
		nodeFrame: readFrames(c, branches.parent),
		nodeBox: c["node.box"].length ? c["node.box"] : null,
		frameFn: c["frame.fn"],
		frameLine: c["frame.line"],
		frameFlags: c["frame.flags"],
		frameLow: c["frame.low"],
		frameHigh: c["frame.high"],
		fnName: c["fn.name"],
		fnMap: c["fn.map"],
		fnFile: c["fn.file"],
		fnLine: c["fn.line"],
		fnLang: c["fn.lang"],
		fnId: c["fn.id"],
		fnKey: c["fn.key"],
		mapName: c["map.name"],
		threadComm: c["thread.comm"],
		threadPid: c["thread.pid"],
		threadTid: c["thread.tid"],
		rowNode: readRows(c["row.node"], branches.depth),
		rowThread: c["row.thread"],
		rowEvent: c["row.event"],
		rowSamples: c["row.samples"],
		rowValue: c["row.value"].length ? c["row.value"] : c["row.samples"],
		rowTag: c["row.tag"],
		tags: readTags(c),
		logTime: c["log.time"],
		logCpu: c["log.cpu"],
		logRow: c["log.row"],
		hues: {},
		timeUnit,
		duration: head.durationNs / 1e9,
		code: () => (c.code ? JSON.parse(c.code()) : []),
	};
}

function hexAddress(low, high) {
	return "0x" + (high ? high.toString(16) + low.toString(16).padStart(8, "0") : low.toString(16));
}

/* The identity of a frame; cached, so that names are made once. */
const GRANULARITIES = ["functions", "filefunctions", "files", "lines", "addresses", "objects"];

function fileBase(path) {
	return path.slice(path.lastIndexOf("/") + 1);
}

function objectOf(p, fn) {
	const map = p.fnMap[fn];
	return map ? p.strings[p.mapName[map - 1]] : "";
}

function langOf(p, fn) {
	return p.strings[p.fnLang[fn]];
}

/* The key of a frame: a number for functions, which are numbered in order; otherwise a string. */
function keyOfFrame(p, by, f) {
	const fn = p.frameFn[f];
	const object = objectOf(p, fn);
	const file = p.strings[p.fnFile[fn]];
	const fnName = p.strings[p.fnName[fn]];
	switch (by) {
		case "lines":
			return [
				fn + ":" + p.frameLine[f],
				p.frameLine[f] ? `${fnName} ${fileBase(file)}:${p.frameLine[f]}` : fnName,
			];
		case "addresses": {
			const address = hexAddress(p.frameLow[f], p.frameHigh[f]);
			return [fn + "@" + address, `${address} ${fnName}`];
		}
		case "files": {
			const name = file || (object ? `[${object.replace(/^\[|\]$/g, "")}]` : "[unknown]");
			return [name, name];
		}
		case "objects":
			return [object, object || "[unknown]"];
		default: {
			const name = file ? `${fnName} ${fileBase(file)}` : fnName;
			return [name + "\0" + object, name];
		}
	}
}

function addKey(keys, key, name, fn, frame, special) {
	keys.name[key] = name;
	keys.fn[key] = fn;
	keys.frame[key] = frame;
	keys.special[key] = special;
}

/* Functions are in the order of their names; the rest follows from the first frame of each. */
function functionKeys(p, keys) {
	const { of } = keys;
	for (let f = 0; f < of.length; f++) {
		const fn = p.frameFn[f];
		const key = (of[f] = p.fnKey[fn]);
		if (keys.name[key] === undefined) {
			addKey(keys, key, p.strings[p.fnName[fn]], fn, f, "");
		}
	}
}

function otherKeys(p, keys) {
	const seen = new Map();
	for (let f = 0; f < keys.of.length; f++) {
		const [id, name] = keyOfFrame(p, keys.by, f);
		let key = seen.get(id);
		if (key === undefined) {
			key = keys.name.length;
			seen.set(id, key);
			addKey(keys, key, name, p.frameFn[f], f, "");
		}
		keys.of[f] = key;
	}
}

function makeKeys(p, by) {
	const keys = {
		by,
		of: new Uint32Array(p.frameFn.length),
		name: [],
		fn: [],
		frame: [],
		special: [],
		specials: new Map(),
		file: (k) => (keys.fn[k] < 0 ? "" : p.strings[p.fnFile[keys.fn[k]]]),
		lang: (k) => (keys.fn[k] < 0 ? "" : langOf(p, keys.fn[k])),
		isWait: (k) => keys.frame[k] >= 0 && (p.frameFlags[keys.frame[k]] & 12) !== 0,
		kernel: (k) => keys.frame[k] >= 0 && (p.frameFlags[keys.frame[k]] & 2) !== 0,
		/* tables have no rows for the root and for groups */
		isListed: (k) => !keys.special[k] || keys.special[k] === "label",
		object: (k) => (keys.fn[k] < 0 ? "" : objectOf(p, keys.fn[k])),
		hue: (mode, k) => {
			const nameOf = { object: objectOf, language: langOf }[mode];
			p.hues[mode] = p.hues[mode] || makeHues(p, (fn) => nameOf(p, fn));
			return p.hues[mode].get(nameOf(p, keys.fn[k]));
		},
	};
	if (by === "functions") {
		functionKeys(p, keys);
	} else {
		otherKeys(p, keys);
	}
	return keys;
}

/* Keys that are not code: the root, groups (processes, threads, labels), and labels as frames. */
function specialKey(keys, name, kind) {
	const id = kind + "\0" + name;
	let key = keys.specials.get(id);
	if (key === undefined) {
		key = keys.name.length;
		keys.specials.set(id, key);
		addKey(keys, key, name, -1, -1, kind);
	}
	return key;
}
