/*
 * Source lines and instructions with their values. The file contains listings of the hottest functions; a served page requests
 * those of others from its server. A listing: { files: [{ path, problem, first, lines }], insns: [[addr, text, file, line, target]] }.
 */

class CodeView {
	constructor(host, app, isDisasm) {
		this.app = app;
		this.isDisasm = isDisasm;
		this.fn = -1;
		this.side = element("div", { class: "side" });
		this.title = element("h2", { class: "sandwich-title" });
		this.facts = element("div", { class: "sandwich-facts" });
		this.main = element("div", { class: "sandwich-main" }, element("header", {}, this.title, this.facts));
		host.append(this.side, this.main);
		this.list = new VirtualTable(this.side, {
			label: "Functions with code",
			cls: "list",
			columns: [
				{
					title: "Self",
					cls: "c-share",
					cell: (r, c) => c.append(formatShare(r.flat, app.model.total)),
				},
				{
					title: "Total",
					cls: "c-share",
					cell: (r, c) => c.append(formatShare(r.cum, app.model.total)),
				},
				{
					title: "Function",
					cls: "c-name",
					cell: (r, c) =>
						c.append(element("span", { title: r.name }, shortName(r.name, this.list.nameLetters))),
				},
			],
			onRow: (r) => this.show(r.fn),
		});
		this.code = new VirtualTable(this.main, {
			label: isDisasm ? "Instructions" : "Source lines",
			cls: "code",
			columns: [
				{ title: "Self", cls: "c-value", cell: (r, c) => this.heat(c, r.flat) },
				{ title: "Total", cls: "c-value", cell: (r, c) => this.heat(c, r.cum, "total") },
				{
					title: isDisasm ? "Address" : "Line",
					cls: "c-place",
					cell: (r, c) => c.append(String(r.place)),
				},
				{
					title: "",
					cls: "c-code",
					cell: (r, c) => c.append(element("span", { class: r.cls || "" }, r.text)),
				},
			],
		});
		this.listings = new Map();
	}

	heat(cell, value, kind) {
		if (value) {
			valueCell(cell, value, this.most || 1, this.app.unit, kind);
		}
	}

	load() {
		if (this.of !== this.app.p) {
			this.of = this.app.p;
			this.listings = new Map(this.app.p.code());
		}
	}

	/* Functions by their self values; in a file, those with code. */
	functions() {
		const p = this.app.p;
		const rows = [];
		for (const [fn, [flat, cum]] of this.app.model.lines.fn) {
			rows.push({ fn, name: p.strings[p.fnName[fn]], flat, cum });
		}
		return rows
			.filter(
				(r) =>
					(p.fnId[r.fn] && (this.app.live || this.listings.has(r.fn))) ||
					(!this.isDisasm && p.fnFile[r.fn]),
			)
			.sort((a, b) => b.flat - a.flat || b.cum - a.cum || a.fn - b.fn)
			.slice(0, 2000);
	}

	update() {
		this.load();
		const rows = this.functions();
		this.list.set(rows);
		const selected = this.app.state.symbol;
		const found = selected ? rows.find((r) => r.name === selected) : this.firstWithCode(rows);
		if (!rows.length) {
			this.title.textContent = this.isDisasm ? "No instructions available" : "No source available";
			this.facts.textContent =
				"The recording has no function whose code could be read when this page was made.";
			this.code.set([]);
			return;
		}
		this.list.show(rows.indexOf(found || rows[0]));
		this.show((found || rows[0]).fn);
	}

	/* The one that was shown, or else the hottest whose code is available. */
	firstWithCode(rows) {
		const has = ({ fn }) => {
			const listing = this.listings.get(fn);
			return listing && (this.isDisasm || listing.files.some((f) => f.lines.length));
		};
		return rows.find((r) => r.fn === this.fn) || rows.find(has);
	}

	async show(fn) {
		const p = this.app.p;
		this.fn = fn;
		this.app.state.symbol = p.strings[p.fnName[fn]];
		this.app.saveState();
		this.title.textContent = p.strings[p.fnName[fn]];
		const file = p.strings[p.fnFile[fn]];
		this.facts.textContent = [
			p.fnMap[fn] ? p.strings[p.mapName[p.fnMap[fn] - 1]] : "",
			file ? file + (p.fnLine[fn] ? ":" + p.fnLine[fn] : "") : "",
		]
			.filter((s) => s)
			.join("  \u00b7  ");
		if (!this.listings.has(fn) && this.app.live && p.fnId[fn]) {
			this.code.set([{ flat: 0, cum: 0, place: "", text: "\u2026" }]);
			this.listings.set(fn, await this.app.fetchListing(p.fnId[fn] - 1));
			if (this.fn !== fn) {
				return;
			}
		}
		const listing = this.listings.get(fn);
		const rows = this.isDisasm ? this.instructionRows(listing, fn) : this.sourceRows(listing, fn);
		this.most = rows.reduce((a, r) => Math.max(a, r.flat, this.isDisasm ? 0 : r.cum), 0);
		this.code.set(rows);
		const hottest = rows.reduce((best, r, i) => (r.flat > (rows[best] || r).flat ? i : best), 0);
		this.code.box.scrollTop = 0;
		this.code.show(hottest);
	}

	values(kind, id) {
		return this.app.model.lines[kind].get(id) || [0, 0];
	}

	instructionRows(listing, fn) {
		if (!listing || !listing.insns || !listing.insns.length) {
			return this.bareRows(
				"address",
				fn,
				listing,
				"The object's file was not available: addresses only.",
			);
		}
		const rows = [];
		let at = "";
		for (const [address, text, file, line, target] of listing.insns) {
			const place = file >= 0 ? `${fileBase(plainText(listing.files[file].path))}:${line}` : "";
			if (place && place !== at) {
				rows.push({
					flat: 0,
					cum: 0,
					place: "",
					text: `${place}  ${plainText(sourceText(listing, file, line).trim())}`,
					cls: "src",
				});
				at = place;
			}
			const [flat, cum] = this.values("address", fn + "@" + address);
			const arrow =
				target >= 0 && listing.insns[target]
					? Number(listing.insns[target][0]) > Number(address)
						? "  \u2193"
						: "  \u2191"
					: "";
			rows.push({ flat, cum, place: address, text: plainText(text) + arrow });
		}
		return rows;
	}

	/* Lines of the file with the function, including inlined code of the same file. */
	sourceRows(listing, fn) {
		const p = this.app.p;
		const file = listing && listing.files ? listing.files.findIndex((f) => f.lines && f.lines.length) : -1;
		if (file < 0) {
			return this.bareRows(
				"line",
				fn,
				listing,
				"The source file was not available: line numbers only.",
			);
		}
		const sourcePath = p.strings[p.fnFile[fn]];
		const at = Math.max(
			file,
			listing.files.findIndex(
				(f) => f.lines && f.lines.length && fileBase(f.path) === fileBase(sourcePath),
			),
		);
		const { path, first, lines } = listing.files[at];
		/* Paths may be spelled in two ways; lines are counted by the file's own name. */
		const files = [...new Set(p.fnFile)].filter((id) => id && fileBase(p.strings[id]) === fileBase(path));
		const valueOf = (line) => {
			const sum = [0, 0];
			for (const id of files) {
				const v = this.values("source", "s" + id + ":" + line);
				sum[0] += v[0];
				sum[1] += v[1];
			}
			return sum;
		};
		const rows = [];
		lines.forEach((text, i) => {
			if (text !== 0) {
				const [flat, cum] = valueOf(first + i);
				rows.push({ flat, cum, place: first + i, text: plainText(text.replace(/\t/g, "        ")) });
			} else if (lines[i - 1] !== 0) {
				rows.push({ flat: 0, cum: 0, place: "\u22ee", text: "", cls: "src" });
			}
		});
		return rows;
	}

	bareRows(kind, fn, listing, why) {
		const sign = kind === "line" ? ":" : "@";
		const rows = [];
		for (const [id, [flat, cum]] of this.app.model.lines[kind]) {
			if (id.startsWith(fn + sign)) {
				const place = id.slice(id.indexOf(sign) + 1);
				rows.push({ flat, cum, place, text: "" });
			}
		}
		rows.sort((a, b) => Number(a.place) - Number(b.place));
		return [
			{
				flat: 0,
				cum: 0,
				place: "",
				text: listing && listing.problem ? plainText(listing.problem) : why,
				cls: "src",
			},
			...rows,
		];
	}
}

function sourceText(listing, file, line) {
	const f = listing.files[file];
	return (f && f.lines && f.lines[line - f.first]) || "";
}
