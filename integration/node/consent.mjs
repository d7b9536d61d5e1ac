// The demo's consent page in a real Chromium: what axe-core says of it, that it fits, and that a person can allow and deny by keyboard
// alone and without JavaScript. The program that asks waits at a port of loopback.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";

import { check, want } from "./demo.mjs";

const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");

export async function consentPage(demo, { open, accessible, fits, shoot, quiet }) {
  let answered; // resolves with what reaches the program
  const program = createServer((request, response) => {
    if (request.url.startsWith("/callback")) answered?.(new URL(request.url, "http://127.0.0.1").searchParams);
    response.end("<!doctype html><title>Signed in</title>");
  });
  await new Promise((resolve) => program.listen(0, "127.0.0.1", resolve));
  const redirect = `http://127.0.0.1:${program.address().port}/callback`;

  const post = (path, type, body) => fetch(demo.as_url + path, { method: "POST", headers: { "Content-Type": type }, body }).then((r) => r.json());
  const client = await post("/oauth/register", "application/json", JSON.stringify({
    client_name: "A program with <b>a name</b>", redirect_uris: ["http://127.0.0.1/callback"], grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  }));
  const ask = (selection = {}) => `${demo.as_url}/oauth/authorize?${new URLSearchParams({
    client_id: client.client_id, redirect_uri: redirect, response_type: "code", state: "st", code_challenge: challenge, code_challenge_method: "S256", ...selection,
  })}`;
  const next = () => new Promise((resolve) => (answered = resolve));
  const redeem = (code) => post("/oauth/token", "application/x-www-form-urlencoded", new URLSearchParams({
    grant_type: "authorization_code", code, client_id: client.client_id, redirect_uri: redirect, code_verifier: verifier,
  }));

  for (const [look, options] of [
    ["light", { colorScheme: "light" }],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { colorScheme: "light", viewport: { width: 360, height: 740 }, hasTouch: true }],
  ]) {
    for (const [kind, selection] of [["one source", { connector_id: "slack" }], ["the owner picks", {}]]) {
      await check(`consent, ${kind}, ${look}: fits, is accessible, and nothing complains`, async () => {
        const page = await open(ask(selection), options);
        want((await page.locator("h1").textContent()) === "May this program read your data?", await page.title());
        want((await page.locator("strong").textContent()) === client.client_name, "the name is not shown as text");
        await accessible(page);
        want(await fits(page), "it scrolls sideways");
        await shoot(page, `consent-${kind.replaceAll(" ", "-")}-${look}`);
        quiet(page);
        await page.context().close();
      });
    }
  }

  await check("consent: by keyboard, without JavaScript, a wrong secret first", async () => {
    const page = await open(ask(), { javaScriptEnabled: false });
    const boxes = page.locator("input[type=checkbox]");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    want(await boxes.first().isChecked(), "the first Tab does not lead to the first connection");
    for (let i = await boxes.count(); i > 0; i--) await page.keyboard.press("Tab");
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await page.locator("[role=alert]", { hasText: "not the owner's secret" }).waitFor({ timeout: 10_000 });
    want(await boxes.first().isChecked(), "the choice is lost");
    await page.locator("#secret").focus();
    await page.keyboard.type(demo.owner_secret);
    const answer = next();
    await page.keyboard.press("Enter");
    const sent = await answer;
    want(sent.get("state") === "st", String(sent));
    const token = await redeem(sent.get("code"));
    want(token.grant_package_id && token.refresh_token, Object.keys(token));
    await page.context().close();
  });

  await check("consent: denied, and nothing reaches the program", async () => {
    let reached = false;
    next().then(() => (reached = true));
    const page = await open(ask({ connector_id: "slack" }), { javaScriptEnabled: false });
    await page.getByRole("button", { name: "Deny" }).click();
    await page.locator("h1", { hasText: "Access denied" }).waitFor({ timeout: 10_000 });
    want(!reached, "it was reached");
    quiet(page);
    await page.context().close();
  });

  await check("consent: no page can frame it, and no script runs in it", async () => {
    const page = await open("about:blank");
    await page.route(`${demo.as_url}/consent*`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace("</main>", "<script>window.intruder = 1</script></main>") });
    });
    await page.goto(ask({ connector_id: "slack" }));
    want(!(await page.evaluate(() => window.intruder)), "a script ran");
    await page.unrouteAll();
    await page.goto(redirect.replace("callback", "frame"));
    await page.setContent(`<iframe src="${ask({ connector_id: "slack" })}"></iframe>`);
    await page.waitForTimeout(500);
    want(page.complaints.some((text) => /frame-ancestors|X-Frame-Options/.test(text)), page.complaints.join("; "));
    await page.context().close();
  });

  program.close();
}
