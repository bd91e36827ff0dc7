/*
 * Makes the flame graph around this script live: details, zoom, search, keyboard. Without it the picture stays as drawn.
 *
 * A frame is a group in .frames: title ("name\ndetails"), rect, and text where there is room; both may be in a link. Groups
 * come in the order of a walk from the root: each is followed by what is on it. Names only ever become text, never markup.
 */
(function () {
	"use strict";
	const LEAST_WIDTH = 400; /* pixels of a picture in a narrow window */
	const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
	const svg = (document.currentScript && document.currentScript.ownerSVGElement) || document.documentElement;
	const find = (selector) => svg.querySelector(selector);
	const numbers = find(".frames").dataset;
	const pad = +numbers.pad, frameHeight = +numbers.height, fontSize = +numbers.font;
	const inverted = numbers.inverted === "1";
	/* As wide as its window, where no width was chosen and nothing is around it. */
	const isFluid = numbers.fluid === "1" && svg === document.documentElement;
	let full = +numbers.full;
	const details = find(".details"), matched = find(".matched");
	const captions = Array.from(svg.querySelectorAll("text[text-anchor=middle]"));
	const nothing = details.textContent;
	let charWidth = 0.6 * fontSize;
	let zoomed = null, current = null, pattern = "", anyCase = true, box = null;

	/* ---- the frames ---- */

	function readFrames() {
		const open = [], all = [];
		let base = null;
		for (const g of svg.querySelectorAll(".frames > g")) {
			const rect = g.querySelector("rect"), title = g.querySelector("title").textContent;
			const cut = title.lastIndexOf("\n"), y = +rect.getAttribute("y");
			if (base === null)
				base = y;
			const f = {
				g: g, rect: rect, text: g.querySelector("text"), index: all.length, last: 0,
				name: title.slice(0, cut), about: title.slice(cut + 1),
				x: +rect.getAttribute("x") - pad, width: +rect.getAttribute("width"),
				depth: Math.round(Math.abs(y - base) / frameHeight), y: y, shown: true, found: false,
			};
			while (open.length > f.depth)
				open.pop().last = all.length;
			f.parent = open.length ? open[open.length - 1] : null;
			open.push(f);
			all.push(f);
			g.flame = f;
		}
		for (const f of open)
			f.last = all.length;
		return all;
	}

	const frames = readFrames();
	const root = frames[0];

	function describe() {
		svg.setAttribute("role", "group");
		const tree = find(".frames");
		tree.setAttribute("role", "tree");
		tree.setAttribute("aria-label", "Frames. Arrow keys move, Enter zooms, Escape shows all.");
		for (const f of frames) {
			f.g.setAttribute("role", "treeitem");
			f.g.setAttribute("aria-level", f.depth + 1);
			f.g.setAttribute("tabindex", "-1");
		}
		root.g.setAttribute("tabindex", "0");
		current = root;
	}

	function measure() {
		const probe = document.createElementNS(SVG, "text"), letters = "abcdefghijklmnopqrstuvwxyz_:ABCDEFGHIJ0123456789";
		probe.textContent = letters;
		find(".frames").appendChild(probe);
		const width = probe.getComputedTextLength() / letters.length;
		probe.remove();
		if (width > 0)
			charWidth = width;
	}

	function fitted(f, width) {
		const room = Math.floor((width - 6) / charWidth);
		if (room < 3)
			return "";
		if (f.name.length <= room)
			return f.name;
		const letters = Array.from(f.name);
		return letters.length <= room ? f.name : letters.slice(0, room - 2).join("") + "..";
	}

	function place(f, x, width) {
		f.rect.setAttribute("x", pad + x);
		f.rect.setAttribute("width", width);
		const label = fitted(f, width);
		if (!f.text && label) {
			f.text = document.createElementNS(SVG, "text");
			f.text.setAttribute("y", f.y + (frameHeight - 1) / 2 + fontSize * 0.35);
			f.rect.parentNode.appendChild(f.text);
		}
		if (f.text) {
			f.text.setAttribute("x", pad + x + 3);
			f.text.textContent = label;
		}
	}

	function show(f, shown) {
		f.shown = shown;
		f.g.classList.toggle("hidden", !shown);
	}

	/* ---- zoom ---- */

	function lay(to) {
		const scale = full / to.width, above = new Set();
		for (let f = to.parent; f; f = f.parent)
			above.add(f);
		for (const f of frames) {
			const inside = f.index >= to.index && f.index < to.last;
			f.g.classList.toggle("faded", above.has(f));
			show(f, inside || above.has(f));
			if (inside)
				place(f, (f.x - to.x) * scale, f.width * scale);
			else if (above.has(f))
				place(f, 0, full);
		}
	}

	/* False where the window has the width that the picture has. */
	function fit() {
		const width = Math.max(LEAST_WIDTH, svg.clientWidth || window.innerWidth), height = svg.viewBox.baseVal.height;
		if (!isFluid || width === full + 2 * pad)
			return false;
		full = width - 2 * pad;
		svg.setAttribute("width", width);
		svg.setAttribute("viewBox", "0 0 " + width + " " + height);
		for (const caption of captions)
			caption.setAttribute("x", width / 2);
		lay(zoomed || root);
		return true;
	}

	function zoom(to) {
		zoomed = to === root ? null : to;
		lay(to);
		resetButton.classList.toggle("hidden", !zoomed);
		if (!current.shown)
			choose(to);
		search();
		remember();
	}

	/* ---- details ---- */

	function announce(f) {
		details.textContent = f ? numbers.label + " " + f.name + " (" + f.about + ")" : nothing;
	}

	function choose(f) {
		current.g.setAttribute("tabindex", "-1");
		current = f;
		f.g.setAttribute("tabindex", "0");
	}

	/* ---- search ---- */

	function compiled() {
		try {
			return pattern ? new RegExp(pattern, anyCase ? "i" : "") : null;
		} catch (e) {
			return undefined;
		}
	}

	/* Frames inside of one that is found are not counted again. */
	function search() {
		const expression = compiled(), view = zoomed || root;
		let sum = 0, next = 0;
		for (const f of frames) {
			f.found = !!expression && f !== root && expression.test(f.name);
			f.g.classList.toggle("found", f.found);
			if (f.found && f.index >= next && f.index >= view.index && f.index < view.last) {
				sum += f.width;
				next = f.last;
			}
		}
		/* The view itself may be on a frame that is found. */
		for (let f = view; f; f = f.parent)
			if (f.found)
				sum = view.width;
		matched.textContent = expression === undefined ? "invalid expression" :
			expression ? "Matched: " + (100 * sum / view.width).toFixed(2) + "%" : "";
		if (box)
			box.input.classList.toggle("bad", expression === undefined);
		searchButton.classList.toggle("hidden", !!box);
	}

	function element(parent, name, attributes) {
		const e = document.createElementNS(HTML, name);
		for (const a in attributes)
			e.setAttribute(a, attributes[a]);
		parent.appendChild(e);
		return e;
	}

	function openSearch() {
		if (!box) {
			const holder = document.createElementNS(SVG, "foreignObject"), width = Math.min(320, full / 2);
			holder.setAttribute("y", 4);
			holder.setAttribute("width", width);
			holder.setAttribute("height", 2.2 * fontSize);
			const row = element(holder, "div", { "class": "search" });
			const input = element(row, "input", { type: "text", "aria-label": "Search: regular expression",
							      placeholder: "regular expression", spellcheck: "false" });
			const toggle = element(row, "button", { type: "button", "aria-pressed": String(!anyCase),
								title: "Upper and lower case differ" });
			toggle.textContent = "Aa";
			input.value = pattern;
			input.addEventListener("input", function () {
				pattern = input.value;
				search();
				remember();
			});
			toggle.addEventListener("click", function () {
				anyCase = !anyCase;
				toggle.setAttribute("aria-pressed", String(!anyCase));
				search();
			});
			topBar.appendChild(holder);
			box = { holder: holder, input: input, width: width };
			follow();
		}
		box.input.focus();
		box.input.select();
		search();
	}

	function closeSearch() {
		if (box)
			box.holder.remove();
		box = null;
		pattern = "";
		search();
		remember();
	}

	/* ---- what is shown can be linked to: #zoom=12&search=memcpy ---- */

	function remember() {
		const parts = [];
		if (zoomed)
			parts.push("zoom=" + zoomed.index);
		if (pattern)
			parts.push("search=" + encodeURIComponent(pattern));
		try {
			history.replaceState(null, "", "#" + parts.join("&"));
		} catch (e) {
			/* not allowed where the page is shown: nothing is lost but the link */
		}
	}

	function recall() {
		for (const part of location.hash.slice(1).split("&")) {
			const cut = part.indexOf("="), key = part.slice(0, cut), value = part.slice(cut + 1);
			if (key === "zoom" && frames[+value])
				zoom(frames[+value]);
			if (key === "search") {
				try {
					pattern = decodeURIComponent(value);
				} catch (e) {
					continue;
				}
				openSearch();
			}
		}
	}

	/* ---- bars: what is read and pressed stays in sight where the picture is taller than the window ---- */

	function bar(height) {
		const g = document.createElementNS(SVG, "g"), back = document.createElementNS(SVG, "rect");
		back.setAttribute("class", "bar hidden");
		back.setAttribute("width", "100%");
		back.setAttribute("height", height);
		g.appendChild(back);
		svg.appendChild(g);
		return g;
	}

	function move(g, y, away) {
		g.setAttribute("transform", "translate(0," + y + ")");
		g.firstChild.classList.toggle("hidden", !away);
	}

	function follow() {
		const seen = svg.getBoundingClientRect(), height = svg.viewBox.baseVal.height;
		const scale = height / (seen.height || height);
		const top = Math.max(0, -seen.top * scale);
		const view = document.documentElement;
		const below = Math.max(0, (seen.bottom - (view.clientHeight || window.innerHeight)) * scale);
		/* the right edge of what is seen, for what is aligned to it */
		const right = pad + full - Math.max(0, (seen.right - (view.clientWidth || window.innerWidth)) * scale);
		for (const text of [searchButton, matched])
			text.setAttribute("x", right);
		if (box)
			box.holder.setAttribute("x", right - box.width);
		move(topBar, Math.min(top, height - 3 * fontSize), top > fontSize);
		move(bottomBar, Math.max(0, height - below - 2 * fontSize - 10), below > fontSize);
	}

	/* ---- buttons, mouse, keys ---- */

	function button(label, x, anchor, act) {
		const b = document.createElementNS(SVG, "text");
		b.setAttribute("class", "button ink");
		b.setAttribute("role", "button");
		b.setAttribute("tabindex", "0");
		b.setAttribute("x", x);
		b.setAttribute("y", 2 * fontSize);
		b.setAttribute("text-anchor", anchor);
		b.textContent = label;
		b.addEventListener("click", act);
		b.addEventListener("keydown", function (e) {
			if (e.key === "Enter" || e.key === " ") {
				e.preventDefault();
				act();
			}
		});
		topBar.appendChild(b);
		return b;
	}

	function frameOf(e) {
		const g = e.target.closest && e.target.closest(".frames > g");
		return g ? g.flame : null;
	}

	function widest(f) {
		let best = null;
		for (let i = f.index + 1; i < f.last; i = frames[i].last)
			if (frames[i].shown && (!best || frames[i].width > best.width))
				best = frames[i];
		return best;
	}

	function sibling(f, step) {
		const around = [];
		for (let i = f.parent ? f.parent.index + 1 : 0; i < (f.parent ? f.parent.last : 1); i = frames[i].last)
			if (frames[i].shown)
				around.push(frames[i]);
		return around[around.indexOf(f) + step];
	}

	function neighbour(f, key) {
		switch (key) {
		case "ArrowUp":
			return inverted ? f.parent : widest(f);
		case "ArrowDown":
			return inverted ? widest(f) : f.parent;
		case "ArrowLeft":
			return sibling(f, -1);
		case "ArrowRight":
			return sibling(f, 1);
		case "Home":
			return root;
		}
	}

	function onFrameKey(e) {
		const f = frameOf(e);
		if (!f || e.ctrlKey || e.metaKey || e.altKey)
			return;
		const to = neighbour(f, e.key);
		if (e.key === "Enter" || e.key === " ")
			zoom(f);
		else if (to)
			to.g.focus();
		else
			return;
		e.preventDefault();
	}

	function onKey(e) {
		if (e.key === "Escape") {
			if (box || pattern)
				closeSearch();
			else if (zoomed)
				zoom(root);
		} else if ((e.key === "f" || e.key === "F") && (e.ctrlKey || e.metaKey) && !(box && document.activeElement === box.input)) {
			/* pressed a second time it is the browser's own search */
			e.preventDefault();
			openSearch();
		}
	}

	const topBar = bar(3 * fontSize), bottomBar = bar(2 * fontSize + 10);
	for (const text of [details, matched]) {
		text.setAttribute("y", 1.5 * fontSize + 5);
		bottomBar.appendChild(text);
	}
	/* The title stays in sight, too. */
	topBar.appendChild(captions[0]);
	const resetButton = button("Reset zoom", pad, "start", () => zoom(root));
	const searchButton = button("Search", pad + full, "end", openSearch);
	resetButton.classList.add("hidden");
	describe();
	measure();
	const holder = find(".frames");
	holder.addEventListener("mouseover", (e) => announce(frameOf(e)));
	holder.addEventListener("mouseout", () => announce(null));
	/* at the window: an element that listens for focus can be tabbed to in some browsers */
	window.addEventListener("focusin", function (e) {
		const f = frameOf(e);
		if (f)
			choose(f);
		announce(f);
	});
	/* A frame that is a link leads there; with Ctrl it zooms as the others do. */
	holder.addEventListener("click", function (e) {
		const f = frameOf(e), link = e.target.closest && e.target.closest("a");
		if (!f || (link && !e.ctrlKey && !e.metaKey))
			return;
		if (link)
			e.preventDefault();
		zoom(f);
	});
	holder.addEventListener("keydown", onFrameKey);
	window.addEventListener("keydown", onKey);
	window.addEventListener("scroll", follow);
	window.addEventListener("resize", function () {
		fit();
		follow();
	});
	if (!fit())
		for (const f of frames)
			if (f.text || f.width > 5 * charWidth)
				place(f, f.x, f.width);
	recall();
	/* The root is where reading begins. */
	if (!inverted && svg === document.documentElement)
		window.scrollTo(0, svg.viewBox.baseVal.height);
	follow();
})();
