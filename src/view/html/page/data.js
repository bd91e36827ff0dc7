/*
 * The profile as typed arrays: unpacks what view/html/pack.h describes.
 *
 * Stacks are nodes in preorder; a row is (node, thread, event, samples, value, tag); the log is (time, cpu, row).
 */

const NONE = 0xffffffff;

/* Control characters, and marks that turn the direction of text or are not seen, become visible escapes. */
const UNSAFE = /[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function plainText(s) {
	return s.replace(UNSAFE, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

function bytesOfBase64(text) {
	if (Uint8Array.fromBase64) {
		return Uint8Array.fromBase64(text);
	}
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);
	for (let i = 0; i < bytes.length; i++) {
		bytes[i] = binary.charCodeAt(i);
	}
	return bytes;
}

async function unpacked(bytes, packing) {
	if (packing !== "gzip") {
		return bytes;
	}
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Numbers of planes of bytes; what fits is a Uint32Array, all else a Float64Array. */
function readColumn(bytes, at, n, planes, coding) {
	const wide = planes > 4 || coding === "signed";
	let out = wide || (coding === "delta" && planes === 4) ? new Float64Array(n) : new Uint32Array(n);
	let factor = 1;
	for (let plane = 0; plane < planes; plane++) {
		const from = at + plane * n;
		if (out instanceof Uint32Array) {
			const shift = plane * 8;
			for (let i = 0; i < n; i++) {
				out[i] |= bytes[from + i] << shift;
			}
		} else {
			for (let i = 0; i < n; i++) {
				out[i] += bytes[from + i] * factor;
			}
			factor *= 256;
		}
	}
	if (coding === "plain") {
		return out;
	}
	let sum = 0;
	for (let i = 0; i < n; i++) {
		const half = Math.floor(out[i] / 2);
		const v = out[i] - half * 2 ? -half - 1 : half;
		sum = coding === "delta" ? sum + v : v;
		out[i] = sum;
	}
	return out;
}

function parseProfile(bytes) {
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
		c[name] =
			coding === "text"
				? decoder.decode(bytes.subarray(at, at + n))
				: readColumn(bytes, at, n, planes, coding);
		at += n * planes;
	}
	return makeProfile(head, c);
}

function makeProfile(head, c) {
	const strings = c.strings.split("\0").map(plainText);
	const n = c["node.frame"].length;
	const parent = new Int32Array(n);
	const depth = new Uint32Array(n);
	const path = [];
	let level = 0;
	for (let i = 0; i < n; i++) {
		parent[i] = level ? path[level - 1] : -1;
		depth[i] = level;
		path[level] = i;
		level = level + 1 - c["node.up"][i];
	}
	const timeUnit = head.timeUnitNs / 1e9;
	return {
		head,
		strings,
		nodes: n,
		parent,
		depth,
		nodeFrame: c["node.frame"],
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
		fnLow: c["fn.low"],
		fnHigh: c["fn.high"],
		fnSize: c["fn.size"],
		fnId: c["fn.id"],
		mapName: c["map.name"],
		mapPath: c["map.path"],
		mapSpace: c["map.space"],
		threadComm: c["thread.comm"],
		threadPid: c["thread.pid"],
		threadTid: c["thread.tid"],
		rowNode: c["row.node"],
		rowThread: c["row.thread"],
		rowEvent: c["row.event"],
		rowSamples: c["row.samples"],
		rowValue: c["row.value"],
		rowTag: c["row.tag"],
		logTime: c["log.time"],
		logCpu: c["log.cpu"],
		logRow: c["log.row"],
		timeUnit,
		duration: head.durationNs / 1e9,
		code: c.code ? JSON.parse(c.code) : [],
	};
}

function hexAddress(low, high) {
	return "0x" + (high ? high.toString(16) + low.toString(16).padStart(8, "0") : low.toString(16));
}

/* What a frame is told apart by; the result is kept, for the names are made but once. */
const GRANULARITIES = ["functions", "filefunctions", "files", "lines", "addresses", "objects"];

function fileBase(path) {
	return path.slice(path.lastIndexOf("/") + 1);
}

function makeKeys(p, by) {
	const nFrames = p.frameFn.length;
	const keys = {
		by,
		of: new Uint32Array(nFrames),
		name: [],
		fn: [],
		file: [],
		object: [],
		frame: [],
		kernel: [],
		lang: [],
		special: [],
	};
	const seen = new Map();
	for (let f = 0; f < nFrames; f++) {
		const fn = p.frameFn[f];
		const map = p.fnMap[fn];
		const object = map ? p.strings[p.mapName[map - 1]] : "";
		const file = p.strings[p.fnFile[fn]];
		const fnName = p.strings[p.fnName[fn]];
		let id,
			name = fnName;
		switch (by) {
			case "lines":
				name = p.frameLine[f] ? `${fnName} ${fileBase(file)}:${p.frameLine[f]}` : fnName;
				id = fn + ":" + p.frameLine[f];
				break;
			case "addresses":
				name = `${hexAddress(p.frameLow[f], p.frameHigh[f])} ${fnName}`;
				id = fn + ":" + p.frameLow[f] + ":" + p.frameHigh[f];
				break;
			case "files":
				name = file || (object ? `[${object.replace(/^\[|\]$/g, "")}]` : "[unknown]");
				id = name;
				break;
			case "objects":
				name = object || "[unknown]";
				id = name;
				break;
			case "filefunctions":
				name = file ? `${fnName} ${fileBase(file)}` : fnName;
				id = name + "\0" + object;
				break;
			default:
				id = fnName + "\0" + object;
		}
		let key = seen.get(id);
		if (key === undefined) {
			key = keys.name.length;
			seen.set(id, key);
			keys.name.push(name);
			keys.fn.push(fn);
			keys.file.push(file);
			keys.object.push(object);
			keys.frame.push(f);
			keys.kernel.push((p.frameFlags[f] & 2) !== 0);
			keys.lang.push(p.strings[p.fnLang[fn]]);
			keys.special.push("");
		}
		keys.of[f] = key;
	}
	keys.own = keys.name.length;
	return keys;
}

/* Keys that are no code: the root, processes, threads, tags. */
function specialKey(keys, name, kind) {
	keys.specials = keys.specials || new Map();
	const id = kind + "\0" + name;
	let key = keys.specials.get(id);
	if (key === undefined) {
		key = keys.name.length;
		keys.specials.set(id, key);
		keys.name.push(name);
		keys.fn.push(-1);
		keys.file.push("");
		keys.object.push("");
		keys.frame.push(-1);
		keys.kernel.push(false);
		keys.lang.push("");
		keys.special.push(kind);
	}
	return key;
}
