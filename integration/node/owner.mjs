// The owner of the demo's data in front of a browser without JavaScript: opens the address that a program wants opened, and decides.

// A page is fetched as a browser does: with its cookies, and following redirects as long as they stay at the authorization server.
class Browser {
  cookies = new Map();

  async fetch(address, options = {}) {
    const headers = { ...options.headers, Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const response = await fetch(address, { ...options, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [name, value] = line.split(";")[0].split("=");
      this.cookies.set(name, value);
    }
    return response;
  }
}

// decide approves (or denies) what an authorization URL asks for, and returns the address that leads back to the program; nothing
// where it was denied. Where the page asks which connections, it picks those of picks, or all.
export async function decide(demo, authorization, { deny = false, picks } = {}) {
  const browser = new Browser();
  let address = String(authorization);
  let response = await browser.fetch(address);
  for (let i = 0; i < 5 && response.status === 302; i++) {
    address = new URL(response.headers.get("location"), address).href;
    response = await browser.fetch(address);
  }
  const html = await response.text();
  const csrf = /name="_csrf" value="([^"]+)"/.exec(html)?.[1];
  if (!csrf) throw new Error(`the owner sees no form at ${new URL(address).pathname}: ${response.status} ${html.slice(0, 300)}`);
  const offered = [...html.matchAll(/name="connection" value="([^"]+)"/g)].map((match) => match[1]);
  const form = new URLSearchParams({ _csrf: csrf, request_uri: new URL(address).searchParams.get("request_uri"), owner_secret: demo.owner_secret });
  for (const id of offered) {
    if (!picks || picks.includes(id)) form.append("connection", id);
  }
  const decided = await browser.fetch(`${demo.as_url}/consent/${deny ? "deny" : "approve"}`, { method: "POST", headers: { Origin: demo.as_url }, body: form });
  if (deny) return undefined;
  if (decided.status !== 302) throw new Error(`the approval was answered with ${decided.status}: ${(await decided.text()).slice(0, 300)}`);
  return decided.headers.get("location");
}

// follow opens the address that leads back to the program, as the browser would.
export async function follow(address) {
  const response = await fetch(address);
  await response.text();
}
