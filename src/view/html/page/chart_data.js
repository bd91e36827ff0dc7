/*
 * What threads did when, as typed arrays: spans by task, wakeups in time order, stacks, idle states
 * (see view/html/chart.c). Times are nanoseconds since the chart began.
 */

/* By enum time_span_kind, then enum time_io_kind, then failed calls. */
const KINDS = [
	["", "--line"],
	["running", "--s-running"],
	["waiting for a CPU", "--s-runnable"],
	["blocked", "--s-blocked"],
	["sleeping", "--s-sleeping"],
	["stopped", "--s-stopped"],
	["not known: records were lost", "--s-unknown"],
	["reading", "--s-running"],
	["writing", "--s-runnable"],
	["syncing", "--s-stopped"],
	["sending", "--s-runnable"],
	["receiving", "--s-running"],
	["polling", "--s-sleeping"],
	["failed", "--s-blocked"],
];
const RUNNING = 1;
const WAITING = 2;
const SLEEPING = 4;
const POLLING = 12;
const FROM_INTERRUPT = 0;
const FROM_TASK = 2;

/* The start of each part, and the end of the last. */
function offsetsOf(counts) {
	const offsets = new Uint32Array(counts.length + 1);
	for (let i = 0; i < counts.length; i++) {
		offsets[i + 1] = offsets[i] + counts[i];
	}
	return offsets;
}

function spanTimes(gaps, lengths, offsets) {
	const start = new Float64Array(gaps.length);
	const end = new Float64Array(gaps.length);
	for (let t = 0; t + 1 < offsets.length; t++) {
		let at = 0;
		for (let i = offsets[t]; i < offsets[t + 1]; i++) {
			start[i] = at + gaps[i];
			at = end[i] = start[i] + lengths[i];
		}
	}
	return { start, end };
}

/* Indexes sorted by time, in linear time: by buckets, with an insertion sort in each. */
function orderedByTime(ids, time, length) {
	const slots = ids.length + 1;
	const slot = (id) => Math.min(slots - 1, Math.max(0, Math.floor((time[id] / (length || 1)) * slots)));
	const counts = new Uint32Array(slots);
	ids.forEach((id) => counts[slot(id)]++);
	const at = offsetsOf(counts);
	const out = new Uint32Array(ids.length);
	for (const id of ids) {
		out[at[slot(id)]++] = id;
	}
	for (let i = 1; i < out.length; i++) {
		const id = out[i];
		let j = i;
		for (; j > 0 && time[out[j - 1]] > time[id]; j--) {
			out[j] = out[j - 1];
		}
		out[j] = id;
	}
	return out;
}

/* By CPU: what ran there, in order. */
function spansByCpu(kind, cpu, start, cpus, length) {
	const lists = Array.from({ length: cpus }, () => []);
	for (let i = 0; i < kind.length; i++) {
		if (kind[i] === RUNNING && cpu[i] && cpu[i] <= cpus) {
			lists[cpu[i] - 1].push(i);
		}
	}
	return lists.map((ids) => orderedByTime(ids, start, length));
}

/* By task: indexes of its wakeups, in order. */
function wakesByTask(to, tasks) {
	const counts = new Uint32Array(tasks);
	to.forEach((t) => counts[t]++);
	const offsets = offsetsOf(counts);
	const at = offsets.slice();
	const ids = new Uint32Array(to.length);
	for (let i = 0; i < to.length; i++) {
		ids[at[to[i]]++] = i;
	}
	return (t) => ids.subarray(offsets[t], offsets[t + 1]);
}

function powerByCpu(c, cpus) {
	const power = { start: c["power.start"], ns: c["power.ns"], state: c["power.state"] };
	const lists = Array.from({ length: cpus }, () => ({ idle: [], speed: [] }));
	for (let i = 0; i < power.ns.length; i++) {
		const list = lists[c["power.cpu"][i]];
		if (list) {
			list[c["power.isFrequency"][i] ? "speed" : "idle"].push(i);
		}
	}
	return { ...power, lists };
}

function makeChart(head, c, strings) {
	const { ns, offsetNs } = head.chart;
	/* samples of a clock may come without their CPU */
	const cpus = c["span.cpu"].some((cpu) => cpu) || c["power.cpu"].length ? head.chart.cpus : [];
	const kind = c["span.kind"];
	const first = offsetsOf(c["task.spans"]);
	const { start, end } = spanTimes(c["span.gap"], c["span.ns"], first);
	const frames = offsetsOf(c["stack.frames"]);
	const nr = c["task.name"].length;
	const owner = new Uint32Array(kind.length);
	const sums = new Float64Array(nr * KINDS.length);
	for (let t = 0; t < nr; t++) {
		for (let i = first[t]; i < first[t + 1]; i++) {
			owner[i] = t;
			sums[t * KINDS.length + kind[i]] += end[i] - start[i];
		}
	}
	return {
		ns: Math.max(1, ns),
		offsetNs,
		tasks: nr,
		name: (t) => strings[c["task.name"][t]] || "(no name)",
		tid: c["task.tid"],
		process: c["task.process"],
		first,
		start,
		end,
		kind,
		owner,
		sum: (t, k) => sums[t * KINDS.length + k],
		cpu: c["span.cpu"],
		stack: c["span.stack"],
		waits: c["span.waits"],
		isPreempted: c["span.isPreempted"],
		reason: (i) => strings[c["span.reason"][i]],
		frames: (stack) =>
			stack ? Array.from(c["frame.text"].subarray(frames[stack - 1], frames[stack]), (s) => strings[s]) : [],
		wake: { ns: c["wake.ns"], from: c["wake.from"], to: c["wake.to"], stack: c["wake.stack"] },
		wakesOf: wakesByTask(c["wake.to"], nr),
		isSampled: head.chart.isSampled,
		cpuPlaces: cpus,
		byCpu: spansByCpu(kind, c["span.cpu"], start, cpus.length, ns),
		power: powerByCpu(c, cpus.length),
	};
}

/* The first of n things whose value is greater than a limit. */
function firstAfter(n, limit, valueOf) {
	let low = 0;
	let high = n;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (valueOf(middle) > limit) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return low;
}
