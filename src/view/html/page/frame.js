/* Shared by pages of profiles and of time charts: theme, messages, tooltip, windows of facts. */

class PageFrame {
	startTheme() {
		let theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
		try {
			theme = localStorage.getItem("strobe-theme") || theme;
		} catch (e) {
			/* a file in a frame may have no storage */
		}
		document.documentElement.dataset.theme = theme;
	}

	toggleTheme() {
		const theme = isDark() ? "light" : "dark";
		document.documentElement.dataset.theme = theme;
		try {
			localStorage.setItem("strobe-theme", theme);
		} catch (e) {
			/* then it applies to this page only */
		}
		this.refresh();
	}

	/* For screen readers. */
	say(text) {
		document.getElementById("said").textContent = text;
	}

	tooltip(e, description) {
		const tip = document.getElementById("tip");
		tip.hidden = !e;
		if (!e) {
			return;
		}
		tip.replaceChildren(element("b", {}, description.title), ...description.lines.map((l) => element("div", {}, l)));
		const width = tip.offsetWidth;
		const height = tip.offsetHeight;
		tip.style.left = Math.max(4, Math.min(e.clientX + 14, window.innerWidth - width - 8)) + "px";
		/* Not over the buttons at the bottom. */
		const chosen = document.getElementById("chosen");
		const bottom = chosen && !chosen.hidden ? chosen.getBoundingClientRect().top : window.innerHeight;
		tip.style.top =
			(e.clientY + 18 + height > bottom ? Math.max(4, e.clientY - height - 10) : e.clientY + 18) + "px";
	}

	dialog(title, rows) {
		document.getElementById("dialog-title").textContent = title;
		document.getElementById("dialog-body").replaceChildren(
			...rows.map(([key, value]) =>
				element("div", { class: "fact" }, element("dt", {}, key), element("dd", {}, value)),
			),
		);
		document.getElementById("dialog").showModal();
	}
}
