// The demo's pages over its data in a real Chromium: that they open with the owner's secret, fit and are accessible in each look, work by
// keyboard and without JavaScript, and that nothing of a record is active.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { check, startDemo, want } from "./demo.mjs";

const views = {
  streams: "/",
  records: "/?view=records&stream=messages&connection=cin_mail_personal",
  filtered: "/?view=records&stream=orders&connection=cin_shop&filter=total&operator=gte&value=40&sort=total&order=desc",
  record: "/?view=record&id=cin_mail_personal/messages:p-m0539",
  "record-text": "/?view=record&id=cin_mail_work/attachments:w-m0711-a1",
  months: "/?view=months&stream=messages&connection=cin_mail_work",
  search: "/?view=search&q=dentist",
  "search-empty": "/?view=search",
  call: '/?view=call&tool=search&arguments={"q":"dentist","limit":2}',
  error: "/?view=records&stream=orders&connection=cin_shop&filter=merchant&operator=gte&value=a",
};

const looks = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["phone-light", { colorScheme: "light", viewport: { width: 360, height: 740 }, hasTouch: true }],
  ["phone-dark", { colorScheme: "dark", viewport: { width: 360, height: 740 }, hasTouch: true }],
  ["wide", { colorScheme: "light", viewport: { width: 3840, height: 2160 } }],
];

export async function browsePages(binary, demo, { open, judged, fits, shoot, quiet }) {
  const address = demo.mcp_url.replace(/\/mcp$/, "");

  // enter opens an address by typing the owner's secret.
  async function enter(url, secret, options) {
    const page = await open(url, options);
    await page.fill("#secret", secret);
    await page.keyboard.press("Enter");
    await page.locator("header nav").waitFor({ timeout: 10_000 });
    await page.waitForLoadState("load");
    return page;
  }

  for (const [look, options] of looks) {
    let page;
    await check(`browse, ${look}: the form alone until the secret is typed`, async () => {
      page = await open(address, options);
      want((await page.locator("main form").count()) === 1 && (await page.locator("table").count()) === 0, "more than the form is shown");
      await judged(page);
      want(await fits(page), "it scrolls sideways");
      await shoot(page, `browse-signin-${look}`);
      await page.fill("#secret", demo.owner_secret);
      await page.keyboard.press("Enter");
      await page.locator("header nav").waitFor({ timeout: 10_000 });
      await page.waitForLoadState("load"); // else the next view breaks off the icon's request
    });
    for (const [name, path] of Object.entries(views)) {
      await check(`browse, ${look}, ${name}: fits, is accessible, and nothing complains`, async () => {
        await page.goto(address + path);
        want(await fits(page), "it scrolls sideways");
        await shoot(page, `browse-${name}-${look}`);
        await judged(page);
        want(await fits(page), "it scrolls sideways once all is opened");
        quiet(page);
      });
    }
    await page.context().close();
  }

  await check("browse: by keyboard and without JavaScript, from the secret to a record", async () => {
    const page = await open(`${address}/?view=search`, { javaScriptEnabled: false });
    await page.locator("#secret").focus();
    await page.keyboard.type(demo.owner_secret);
    await page.keyboard.press("Enter");
    await page.locator("#q").waitFor({ timeout: 10_000 });
    want((await page.locator("button.copy:visible").count()) === 0, "a button that cannot work is shown");
    await page.locator("#q").focus();
    await page.keyboard.type("dentist");
    await page.keyboard.press("Enter");
    await page.locator(".hits a").first().waitFor({ timeout: 10_000 });
    for (let i = 0; i < 40 && (await page.locator(".hits :focus").count()) === 0; i++) await page.keyboard.press("Tab");
    want((await page.locator(".hits :focus").count()) === 1, "Tab does not lead to the hits");
    const title = await page.locator(".hits :focus").textContent();
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: title }).waitFor({ timeout: 10_000 });
    quiet(page);
    await page.context().close();
  });

  await check("browse: the focus is seen wherever Tab leads", async () => {
    const page = await enter(address + views.filtered, demo.owner_secret);
    let seen = 0;
    for (; seen < 60; seen++) {
      await page.keyboard.press("Tab");
      const focus = await page.evaluate(() => ({ name: document.activeElement.tagName, outline: getComputedStyle(document.activeElement).outlineStyle }));
      if (focus.name === "BODY") break;
      want(focus.outline !== "none", `${focus.name} has no outline`);
    }
    want(seen > 40, `Tab leads to ${seen} elements`);
    await page.context().close();
  });

  await check("browse: the call that a view names is copied", async () => {
    const page = await enter(address + views.months, demo.owner_secret, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.locator("[data-copy=call-main]").click();
    await page.locator("[data-copy=call-main]", { hasText: "Copied" }).waitFor({ timeout: 5_000 });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    want(copied === 'aggregate {"stream":"messages","metric":"count","connection_id":"cin_mail_work","group_by_time":"received_at","granularity":"month"}', copied);
    await page.context().close();
  });

  await check("browse: sign-out ends it, and a page of another origin gets nothing", async () => {
    const page = await enter(address, demo.owner_secret);
    await page.goto("data:text/html,<a href='" + address + "/'>there</a>");
    await page.locator("a").click();
    await page.locator("#secret").waitFor({ timeout: 10_000 }); // the cookie stays at home
    await page.goto(address);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.locator("#secret").waitFor({ timeout: 10_000 });
    want((await page.context().cookies()).length === 0, "the cookie is still there");
    await page.context().close();
  });

  await check("browse: what hostile records say is text", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pdpp-mcp-browse-"));
    try {
      const hostile = "<script>window.intruder=1</script><img src=x onerror='window.intruder=2'> javascript:alert(1) https://evil.example/";
      writeFileSync(join(folder, "notes.jsonl"), Array.from({ length: 60 }, (_, i) => `${JSON.stringify({ id: `n${i}`, title: `${hostile} ${i}`, body: `${hostile}\n${hostile}`, at: `2026-0${1 + (i % 9)}-01T10:00:00Z` })}\n`).join(""));
      const own = await startDemo(binary, "--data", folder);
      const there = own.mcp_url.replace(/\/mcp$/, "");
      const page = await enter(there, own.owner_secret);
      const seen = new Set();
      const waiting = ["/?view=records&stream=notes&connection=cin_files", "/?view=record&id=cin_files/notes:n1", "/?view=search&q=evil", "/?view=months&stream=notes&connection=cin_files"];
      while (waiting.length > 0 && seen.size < 12) {
        const path = waiting.shift();
        if (seen.has(path)) continue;
        seen.add(path);
        await page.goto(there + path);
        want(!(await page.evaluate(() => window.intruder)), `${path} runs a script of a record`);
        want((await page.locator("main img").count()) === 0, `${path} shows an image`);
        const links = await page.locator("a").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
        want(links.every((href) => /^(\/(\?|$)|#main$)/.test(href)), `${path} leads to ${links.find((href) => !/^(\/(\?|$)|#main$)/.test(href))}`);
        waiting.push(...links.filter((href) => /view=record|cursor/.test(href)).slice(0, 2));
      }
      await page.goto(there + "/?view=record&id=cin_files/notes:n1");
      want((await page.locator("main").textContent()).includes("<script>window.intruder=1</script>"), "the text is not shown");
      want(await fits(page), "it scrolls sideways");
      await judged(page);
      await shoot(page, "browse-hostile");
      quiet(page);
      await page.context().close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
