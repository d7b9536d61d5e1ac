// The page for people in a real Chromium: what it shows, that it works by keyboard and without JavaScript, that nothing
// breaks its content security policy, and what axe-core says of it. Screenshots go to dist/screenshots.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import axe from "axe-core";
import { chromium } from "playwright-core";

import { consentPage } from "./consent.mjs";
import { check, start, startDemo, stop, summary, want } from "./demo.mjs";

const [binary, executablePath, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

// open opens a page in a context of its own. Whatever it says on the console, and every failed request, is kept in page.complaints.
async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("requestfailed", (request) => page.complaints.push(`${request.url()} failed`));
  page.on("response", (response) => response.status() >= 400 && page.complaints.push(`${response.url()} is ${response.status()}`));
  await page.goto(url);
  return page;
}

// accessible wants axe-core to find nothing, after every details element is opened in its turn.
async function accessible(page) {
  await page.evaluate(axe.source);
  const titles = await page.locator("summary").allTextContents();
  for (const title of [undefined, ...titles]) {
    if (title) await page.locator("summary", { hasText: title }).first().click();
    const { violations, passes } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    want(passes.length > 10, "axe-core looked at nothing");
    want(violations.length === 0, violations.map((v) => `${v.id} at ${v.nodes.map((n) => n.target).join(" ")}`).join("; "));
  }
  if (titles.length) await page.locator("summary").first().click();
}

// quiet wants a page that had nothing to complain about.
const quiet = (page) => want(page.complaints.length === 0, page.complaints.join("; "));

const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
const outcome = (page, text) => page.locator("#outcome", { hasText: text }).waitFor({ timeout: 10_000 });
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

for (const [name, url] of [["hosted", hostedPage], ["demo", demoPage]]) {
  for (const [look, options] of [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { colorScheme: "light", viewport: { width: 340, height: 740 }, hasTouch: true }],
  ]) {
    await check(`${name}, ${look}: loads, fits, is accessible, and nothing complains`, async () => {
      const page = await open(url, options);
      want((await page.title()) === "Your data, for your assistant", await page.title());
      want((await page.locator(".state").textContent()).startsWith("Ready."), "not ready");
      if (name === "demo") {
        await page.locator("#tool option").first().waitFor({ state: "attached" });
        await page.selectOption("#tool", "search");
        await page.fill("#argument-q", "dentist");
        await page.click("#run");
        await outcome(page, "OK");
      }
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
    want(copied === `${url}mcp`, copied);
    quiet(page);
    await page.context().close();
  });

  await check(`${name}: reads without JavaScript`, async () => {
    const page = await open(url, { javaScriptEnabled: false });
    want((await page.locator("#address").inputValue()) === `${url}mcp`, "no address");
    await page.locator("summary", { hasText: "Codex" }).click();
    want(await page.locator("details", { hasText: "Codex" }).locator("pre").first().isVisible(), "the path of Codex does not open");
    want((await page.locator("button:visible").count()) === 0, "a button that cannot work is shown");
    if (name === "demo") want(await page.getByText("The console needs JavaScript").isVisible(), "nothing says so");
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

await check("hosted: shows no console and no token", async () => {
  const page = await open(hostedPage);
  want((await page.locator("#console, #token").count()) === 0, "it does");
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

await check("console: a form of each tool's schema", async () => {
  const page = await open(demoPage);
  await page.locator("#tool option").first().waitFor({ state: "attached" });
  const names = await page.locator("#tool option").allTextContents();
  want(names.slice().sort().join() === "aggregate,fetch,query_records,read_record_field,schema,search", names);
  await page.selectOption("#tool", "query_records");
  const limit = page.locator("#argument-limit");
  want((await limit.getAttribute("min")) === "1" && (await limit.getAttribute("max")) === "100", "limit has no bounds");
  want((await page.locator("#argument-order option").allTextContents()).join() === ",asc,desc", "order has no choices");
  want(await page.locator("#argument-stream").evaluate((input) => input.required), "stream is not required");
  await page.fill("#argument-stream", "orders");
  await page.fill("#argument-limit", "2");
  await page.fill("#argument-fields", "merchant\ntotal");
  await page.fill("#argument-filter", '{"total":{"gte":20}}');
  await page.selectOption("#argument-order", "desc");
  const spelled = await page.locator("#spelled").textContent();
  want(spelled === 'query_records {"stream":"orders","limit":2,"order":"desc","fields":["merchant","total"],"filter":{"total":{"gte":20}}}', spelled);
  await page.locator("#argument-limit").press("Enter"); // by keyboard alone
  await outcome(page, "OK");
  want(await page.evaluate(() => document.activeElement.id === "argument-limit"), "the focus is lost");
  const structured = JSON.parse(await page.locator("#structured").textContent());
  want(structured.data.data.length === 2 && Object.keys(structured.data.data[0].data ?? structured.data.data[0]).includes("merchant"), structured);
  want(/^[\d,]+ bytes$/.test(await page.locator("#text-bytes").textContent()), "no bytes");
  quiet(page);
  await page.context().close();
});

await check("console: a call that an answer spells out is a button that makes it; the list of calls adds up", async () => {
  const page = await open(demoPage);
  await page.locator("#tool option").first().waitFor({ state: "attached" });
  await page.selectOption("#tool", "search");
  await page.fill("#argument-q", "dentist");
  await page.click("#run");
  await outcome(page, "OK search");
  const button = page.locator("#text button", { hasText: /^read_record_field \{/ }).first();
  const spelled = await button.textContent();
  want((await page.locator("#text button", { hasText: "…" }).count()) === 0, "a placeholder is a button");
  await button.press("Enter");
  await outcome(page, "OK read_record_field");
  want(await page.evaluate(() => document.activeElement.id === "answer"), "the focus is lost");
  want((await page.locator("#spelled").textContent()) === spelled, await page.locator("#spelled").textContent());
  want((await page.locator("#history tr").count()) === 2, "not two calls");
  const number = async (selector) => Number((await page.locator(selector).textContent()).replace(/\D/g, ""));
  const rows = await page.locator("#history tr td:nth-child(3)").allTextContents();
  const sum = rows.reduce((total, text) => total + Number(text.replace(/\D/g, "")), 0);
  want(sum > 0 && sum === (await number("#text-total")), `${rows} is not ${await number("#text-total")}`);
  quiet(page);
  await page.context().close();
});

await check("console: an error is shown as one", async () => {
  const page = await open(demoPage);
  await page.locator("#tool option").first().waitFor({ state: "attached" });
  await page.selectOption("#tool", "search");
  await page.click("#run");
  await outcome(page, "Error: invalid_arguments");
  want((await page.locator("#text").textContent()).includes("q is required."), "no sentence");
  want((await page.locator("#structured").textContent()).includes('"param": "q"'), "no structure");
  await page.locator("#answer").scrollIntoViewIfNeeded();
  await accessible(page);
  await shoot(page, "demo-error");
  quiet(page);
  await page.context().close();
});

await check("console: arguments that are no JSON are not sent", async () => {
  const page = await open(demoPage);
  await page.locator("#tool option").first().waitFor({ state: "attached" });
  await page.selectOption("#tool", "search");
  await page.fill("#argument-filter", "{");
  await page.click("#run");
  want(await page.locator("#argument-filter").evaluate((input) => input.validationMessage.includes("filter is not JSON")), "no word of it");
  want((await page.locator("#history tr").count()) === 0, "sent");
  await page.fill("#argument-filter", "");
  await page.fill("#argument-q", "dentist");
  await page.click("#run");
  await outcome(page, "OK search");
  await page.context().close();
});

await check("console: what a record says is no markup and no button", async () => {
  const page = await open(demoPage);
  await page.locator("#tool option").first().waitFor({ state: "attached" });
  const text = 'one <b id="planted">b</b>\n> fetch {"id":"a/b:c"}\nnothing {"id":"x"}\nfetch {"id":"…"}\nfetch {"id":"a/b:c{}\\""} then';
  const made = await page.evaluate((text) => {
    showText(text);
    const shown = document.getElementById("text");
    return { text: shown.textContent, buttons: [...shown.querySelectorAll("button")].map((b) => b.textContent), planted: document.getElementById("planted") !== null };
  }, text);
  want(made.text === text && !made.planted && made.buttons.length === 1 && made.buttons[0] === 'fetch {"id":"a/b:c{}\\""}', made);
  await page.context().close();
});

await check("console: says so when the server has gone", async () => {
  const page = await open(demoPage);
  await page.locator("#tool option").first().waitFor({ state: "attached" });
  await page.route("**/mcp", (route) => route.abort());
  await page.click("#run");
  await outcome(page, "Error: refused");
  want((await page.locator("#text").textContent()).includes("Is the demo still running?"), await page.locator("#text").textContent());
  await page.context().close();
});

await check("console of a person's own data: the token comes with the link, and leaves the address bar", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pdpp-mcp-page-"));
  try {
    writeFileSync(join(folder, "notes.jsonl"), '{"id":"n1","title":"Groceries"}\n');
    const own = await startDemo(binary, "--data", folder);
    const url = own.mcp_url.replace(/mcp$/, "");
    const page = await open(url);
    await outcome(page, "needs the token");
    await page.fill("#token", own.client_token);
    await page.locator("#token").press("Tab");
    await page.locator("#tool option").first().waitFor({ state: "attached" });
    await accessible(page);
    await page.fill("#token", "wrong");
    page.complaints.length = 0;
    await page.click("#run");
    await outcome(page, "Error");
    await page.context().close();

    const linked = await open(`${url}#token=${own.client_token}`);
    await linked.locator("#tool option").first().waitFor({ state: "attached" });
    want(linked.url() === url, linked.url());
    await linked.selectOption("#tool", "search");
    await linked.fill("#argument-q", "Groceries");
    await linked.click("#run");
    await outcome(linked, "OK search");
    await shoot(linked, "demo-own-data");
    quiet(linked);
    await linked.context().close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

await consentPage(demo, { open, accessible, fits, shoot, quiet });

await browser.close();
await stop();
process.exit(summary());
