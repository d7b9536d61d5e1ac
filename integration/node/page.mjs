// The pages for people in a real Chromium: what they show, that it works by keyboard and without JavaScript, that nothing
// breaks its content security policy, and what axe-core says of it. Screenshots go to dist/screenshots.
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";

import axe from "axe-core";
import { chromium } from "playwright-core";

import { browsePages } from "./browse.mjs";
import { consentPage } from "./consent.mjs";
import { check, start, startDemo, stop, summary, want } from "./demo.mjs";

const [binary, executablePath, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

// open opens a page in a context of its own. Whatever it says on the console, and every request that failed, is kept in page.complaints.
async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    const reason = request.failure().errorText;
    // The tab's icon is asked for after the page is loaded, so the next navigation can break it off.
    if (reason !== "net::ERR_ABORTED") page.complaints.push(`${request.url()} failed: ${reason}`);
  });
  page.on("response", (response) => response.status() >= 400 && page.complaints.push(`${response.url()} is ${response.status()}`));
  await page.goto(url);
  return page;
}

async function axeFindsNothing(page) {
  const { violations, passes } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  want(passes.length > 10, "axe-core looked at nothing");
  want(violations.length === 0, violations.map((v) => `${v.id} at ${v.nodes.map((n) => n.target).join(" ")}`).join("; "));
}

// judged wants axe-core to find nothing with every details element open, all at a time.
async function judged(page) {
  await page.evaluate(axe.source);
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
  await axeFindsNothing(page);
}

// accessible wants axe-core to find nothing, after every details element is opened in its turn.
async function accessible(page) {
  await page.evaluate(axe.source);
  const titles = await page.locator("summary").allTextContents();
  for (const title of [undefined, ...titles]) {
    if (title) await page.locator("summary", { hasText: title }).first().click();
    await axeFindsNothing(page);
  }
  if (titles.length) await page.locator("summary").first().click();
}

// quiet wants a page that had nothing to complain about.
const quiet = (page) => want(page.complaints.length === 0, page.complaints.join("; "));

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
const shoot = (page, name) => page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });

const demo = await startDemo(binary);
const demoPage = demo.mcp_url.replace(/mcp$/, "");

// A hosted server in front of the demo's resource server; its own port is asked of the system first.
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const hostedPage = `http://127.0.0.1:${port}/`;
await startHosted();

async function startHosted() {
  start(binary, "serve", "--rs-url", demo.rs_url, "--listen", `127.0.0.1:${port}`, "--log-level", "error").catch(() => {});
  const until = Date.now() + 30_000;
  for (;;) {
    const ready = await fetch(`${hostedPage}readyz`).then((r) => r.ok, () => false);
    if (ready) return;
    if (Date.now() > until) throw new Error("serve did not become ready within 30 s");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

for (const [name, url] of [["hosted", hostedPage], ["demo", `${demoPage}?view=connect`]]) {
  for (const [look, options] of [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { colorScheme: "light", viewport: { width: 340, height: 740 }, hasTouch: true }],
  ]) {
    await check(`${name}, ${look}: loads, fits, is accessible, and nothing complains`, async () => {
      const page = await open(url, options);
      want((await page.title()) === "Your data, for your assistant", await page.title());
      want((await page.locator(".state").textContent()).startsWith("Ready."), "not ready");
      await accessible(page);
      want(await fits(page), "it scrolls sideways");
      await shoot(page, `${name}-${look}`);
      quiet(page);
      await page.context().close();
    });
  }

  await check(`${name}: copies the address`, async () => {
    const page = await open(url, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.locator("[data-copy=address]").click();
    await page.locator("[data-copy=address]", { hasText: "Copied" }).waitFor({ timeout: 5_000 });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    want(copied === new URL("/mcp", url).href, copied);
    quiet(page);
    await page.context().close();
  });

  await check(`${name}: reads without JavaScript`, async () => {
    const page = await open(url, { javaScriptEnabled: false });
    want((await page.locator("#address").inputValue()) === new URL("/mcp", url).href, "no address");
    await page.locator("summary", { hasText: "Codex" }).click();
    want(await page.locator("details", { hasText: "Codex" }).locator("pre").first().isVisible(), "the path of Codex does not open");
    want((await page.locator("button:visible").count()) === 0, "a button that cannot work is shown");
    quiet(page);
    await page.context().close();
  });

  await check(`${name}: a script that gets into the page does not run`, async () => {
    const page = await open("about:blank");
    await page.route(url, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace("</main>", '<script>window.intruder = 1</script><img src="/none" alt="" onerror="window.intruder = 2"></main>');
      await route.fulfill({ response, body });
    });
    await page.goto(url);
    await page.locator("[data-copy=address]").waitFor(); // our own has run
    want(!(await page.evaluate(() => window.intruder)), "it ran");
    want(page.complaints.some((text) => /Content Security Policy/.test(text)), "the browser did not refuse it");
    await page.context().close();
  });
}

await check("hosted: shows no data and no token", async () => {
  const page = await open(hostedPage);
  want((await page.locator("form, table").count()) === 0, "it does");
  want(!(await page.content()).includes("pdpp_client_"), "a token");
  await page.context().close();
});

await check("hosted: each client's path opens by keyboard, with a focus that is seen", async () => {
  const page = await open(hostedPage);
  const opened = new Set();
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate(() => ({ name: document.activeElement.tagName, text: document.activeElement.textContent, outline: getComputedStyle(document.activeElement).outlineStyle }));
    if (focus.name === "BODY") break;
    want(focus.outline !== "none", `${focus.name} ${focus.text.slice(0, 40)} has no outline`);
    if (focus.name !== "SUMMARY") continue;
    await page.keyboard.press("Enter");
    want(await page.evaluate(() => document.activeElement.parentElement.open), `${focus.text} does not open`);
    opened.add(focus.text);
  }
  want(opened.size === 9, [...opened].join());
  await shoot(page, "hosted-open");
  await page.context().close();
});

await browsePages(binary, demo, { open, judged, fits, shoot, quiet });
await consentPage(demo, { open, accessible, fits, shoot, quiet });

await browser.close();
await stop();
process.exit(summary());
