/*
 * Debian's Chromium, driven line by line: browser.mjs PLAYWRIGHT-DIRECTORY CHROMIUM. Each line of standard input is a JSON
 * array [command, argument...]; each answer is one line, {"value": ...} or {"error": "..."}. What the page says on its console
 * and what it asks the network for is kept for the command "log". See tests/lib/browser.py.
 */
import { createRequire } from "node:module";
import readline from "node:readline";
import path from "node:path";

const [, , modules, chromium] = process.argv;
const playwright = createRequire(path.join(modules, "package.json"))("playwright-core");
/* As root, Chromium requires a permission to run without its sandbox; the pages here are our own. */
const browser = await playwright.chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--force-color-profile=srgb"] });
const context = await browser.newContext({ viewport: { width: 1360, height: 820 }, acceptDownloads: true });
let viewport = { width: 1360, height: 820 };
let colorScheme = "light";
let said = [];
let requests = [];
let page;
let meter;

async function newPage() {
	page = await context.newPage();
	await page.setViewportSize(viewport);
	await page.emulateMedia({ colorScheme });
	meter = await context.newCDPSession(page);
	await meter.send("Performance.enable");
	page.on("console", (m) => ["error", "warning"].includes(m.type()) && said.push(`${m.type()}: ${m.text()}`));
	page.on("pageerror", (e) => said.push(`exception: ${e.stack}`));
	page.on("dialog", (d) => {
		said.push(`dialog: ${d.message()}`);
		d.dismiss();
	});
	page.on("request", (r) => requests.push(r.url()));
}

const commands = {
	async open(url) {
		if (page) {
			await page.close();
		}
		await newPage();
		await page.goto(url);
		await page.waitForSelector("body[data-ready]", { timeout: 30000 });
		return page.evaluate(() => performance.now());
	},
	/* What has no data-ready: a picture. */
	async visit(url) {
		if (!page) {
			await newPage();
		}
		await page.goto(url);
	},
	/* Also of pages that are opened later. */
	async size(width, height) {
		viewport = { width, height };
		await page?.setViewportSize(viewport);
	},
	/* Milliseconds of processor time that the page's process has taken: what else the machine does is not in it. */
	async cpu() {
		const { metrics } = await meter.send("Performance.getMetrics");
		return 1000 * metrics.find((m) => m.name === "ProcessTime").value;
	},
	eval: (code) => page.evaluate(code),
	click: (selector, options) => page.click(selector, options || {}),
	key: (key) => page.keyboard.press(key),
	fill: (selector, text) => page.fill(selector, text),
	text: (selector) => page.textContent(selector),
	async drag(selector, from, to) {
		const box = await page.locator(selector).first().boundingBox();
		await page.mouse.move(box.x + from[0], box.y + from[1]);
		await page.mouse.down();
		await page.mouse.move(box.x + (from[0] + to[0]) / 2, box.y + (from[1] + to[1]) / 2, { steps: 3 });
		await page.mouse.move(box.x + to[0], box.y + to[1], { steps: 3 });
		await page.mouse.up();
	},
	async move(selector, to) {
		const box = await page.locator(selector).first().boundingBox();
		await page.mouse.move(box.x + to[0], box.y + to[1]);
	},
	/* Likewise. */
	async theme(scheme) {
		colorScheme = scheme;
		await page?.emulateMedia({ colorScheme });
	},
	shot: async (file) => void (await page.screenshot({ path: file })),
	log: () => {
		const log = { said, requests };
		said = [];
		requests = [];
		return log;
	},
};

for await (const line of readline.createInterface({ input: process.stdin })) {
	const [command, ...rest] = JSON.parse(line);
	try {
		console.log(JSON.stringify({ value: (await commands[command](...rest)) ?? null }));
	} catch (e) {
		console.log(JSON.stringify({ error: String(e.stack) }));
	}
}
await browser.close();
