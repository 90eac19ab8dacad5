import { existsSync } from "node:fs";
import type { Answer } from "./client";
import { listedRoutes } from "./documented-routes";
import { expect, NO_SUCH_ID, newConnection, type Person, sampleOf, test } from "./fixtures";

const chromium = process.env.CHROMIUM_PATH ?? ["/usr/bin/chromium"].find((path) => existsSync(path));
test.use({
  launchOptions: {
    executablePath: chromium,
    // Chromium refuses its sandbox for root, the usual user of a container.
    args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), "--disable-gpu", "--no-first-run"],
  },
});

const OPEN_PAGES = [
  "/login",
  "/register",
  "/forgot",
  "/reset/no-such-token",
  `/reset/${"A".repeat(43)}`,
  `/invites/${"A".repeat(43)}`,
  "/docs/api",
  "/no/such/page",
];

async function pagesOf(person: Person): Promise<string[]> {
  const { json } = await person.api.get(person.home);
  const home = `/w/${json.data.slug}`;
  const sample = await sampleOf(person);
  return [
    home,
    `${home}/consoles/${NO_SUCH_ID}`,
    `${home}/consoles/new`,
    `${home}/connections`,
    `${home}/connections/new`,
    `${home}/connections/${sample}`,
    `${home}/connections/${NO_SUCH_ID}`,
    `${home}/connections/malformed`,
    `${home}/settings`,
    `${home}/settings/general`,
    `${home}/settings/members`,
    `${home}/settings/api-keys`,
    `${home}/settings/outbox`,
    `${home}/settings/profile`,
    `${home}/settings/sessions`,
    `${home}/settings/appearance`,
    `${home}/settings/keyboard`,
    `${home}/no-such-page`,
    "/new-workspace",
    "/docs/api",
    "/w/somebody-elses",
  ];
}

/** Returns the directives of a policy by name. */
function policyOf(answer: Answer): Record<string, string[]> {
  const policy = String(answer.headers["content-security-policy"] ?? "");
  return Object.fromEntries(
    policy.split(";").map((directive) => {
      const [name = "", ...values] = directive.trim().split(/\s+/);
      return [name, values];
    }),
  );
}

/** Checks the headers of every response (T106); HSTS is sent over https only. */
function expectGuarded(path: string, answer: Answer): void {
  expect([path, answer.headers["x-content-type-options"]]).toEqual([path, "nosniff"]);
  expect([path, answer.headers["cross-origin-opener-policy"]]).toEqual([path, "same-origin"]);
  expect([path, answer.headers["referrer-policy"]]).toEqual([path, expect.stringMatching(/origin|no-referrer/)]);
  expect([path, answer.headers["permissions-policy"]]).toEqual([path, expect.stringMatching(/camera=\(\)/)]);
  expect([path, policyOf(answer)["frame-ancestors"]]).toEqual([path, ["'none'"]]);
  expect([path, answer.headers["x-powered-by"]]).toEqual([path, undefined]);
  expect([path, answer.headers.server]).toEqual([path, undefined]);
  expect([path, answer.headers["strict-transport-security"]]).toEqual([path, undefined]);
}

test("T106 sends security headers on every page, and a policy whose scripts need the response's nonce", async ({
  anyone,
  reader,
}) => {
  const nonces = new Set<string>();
  const paths = [
    ...OPEN_PAGES.map((path) => [anyone, path] as const),
    ...(await pagesOf(reader)).map((path) => [reader.api, path] as const),
  ];
  for (const [api, path] of paths) {
    const answer = await api.get(path);
    expect([path, answer.status < 500]).toEqual([path, true]);
    expectGuarded(path, answer);
    const policy = policyOf(answer);
    expect([path, policy["script-src"]]).toEqual([path, expect.arrayContaining(["'strict-dynamic'"])]);
    expect(policy["script-src"]?.join(" ")).not.toMatch(/'unsafe-inline'|'unsafe-eval'|https?:|\*/);
    expect(policy["object-src"] ?? policy["default-src"]).toEqual(["'none'"]);
    expect(policy["base-uri"]).toBeDefined();
    expect(policy["form-action"]).toBeDefined();
    expect(policy["connect-src"] ?? policy["default-src"]).toEqual(["'self'"]);
    const [nonce] = policy["script-src"]?.filter((value) => value.startsWith("'nonce-")) ?? [];
    expect([path, nonce]).toEqual([path, expect.stringMatching(/^'nonce-[\w+/=-]{16,}'$/)]);
    nonces.add(nonce ?? "");
    const value = nonce?.slice("'nonce-".length, -1) ?? "";
    const bare = [...answer.text.matchAll(/<script\b[^>]*>/g)].filter(([tag]) => !tag.includes(`nonce="${value}"`));
    expect([path, bare.map(([tag]) => tag)]).toEqual([path, []]);
    expect([path, answer.headers["cache-control"]]).toEqual([path, expect.stringMatching(/no-store|private/)]);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  }
  expect(nonces.size).toBe(paths.length);
});

test("T106 sends security headers on API responses, errors and unknown paths", async ({ anyone, reader }) => {
  const answers: [string, Answer][] = [
    ["health", await anyone.get("/api/health")],
    ["openapi", await anyone.get("/api/openapi.json")],
    ["401", await anyone.get("/api/auth/me")],
    ["200", await reader.api.get("/api/auth/me")],
    ["403", await reader.api.get(`/api/workspaces/${NO_SUCH_ID}`)],
    ["404", await anyone.get("/api/nothing")],
    ["405", await anyone.delete("/api/health")],
    ["400", await anyone.post("/api/auth/login", {})],
    ["413", await anyone.post("/api/auth/login", { x: "x".repeat(100_000) })],
    ["415", await anyone.post("/api/auth/login", undefined, { body: "x" })],
    ["csv", await queryAs(reader, "text/csv")],
    ["ndjson", await queryAs(reader, "application/x-ndjson")],
  ];
  for (const [name, answer] of answers) {
    expectGuarded(name, answer);
    expect([name, policyOf(answer)["default-src"]]).toEqual([name, ["'none'"]]);
    expect([name, answer.headers["access-control-allow-origin"]]).toEqual([name, undefined]);
    expect([name, answer.headers["set-cookie"]]).toEqual([name, undefined]);
  }
  for (const [name, answer] of answers.filter(([name]) => name !== "openapi")) {
    expect([name, answer.headers["cache-control"]]).toEqual([name, expect.stringContaining("no-store")]);
  }
});

async function queryAs(person: Person, accept: string): Promise<Answer> {
  const path = `${person.home}/databases/${await sampleOf(person)}/execute`;
  return person.api.post(path, { query: "select 1 as a" }, { headers: { accept } });
}

test("T98 T106 sends security headers on redirects, plain errors and files, and caches hashed files only", async ({
  anyone,
}) => {
  const page = (await anyone.get("/login")).text;
  const [asset] = /\/_next\/static\/[^"\\]+\.js/.exec(page) ?? [];
  const script = await anyone.get(asset ?? "");
  expect(script.status).toBe(200);
  expect(script.headers["cache-control"]).toContain("immutable");
  expect(script.headers["content-type"]).toMatch(/javascript/);
  for (const path of ["/", "/w/anything", "/new-workspace"]) {
    const answer = await anyone.get(path);
    expect([path, answer.status]).toEqual([path, 307]);
    expect(String(answer.headers.location)).toMatch(/^\/(login|register)/);
    expectGuarded(path, answer);
  }
});

test("T106 prevents sniffing of files, missing and badly encoded paths, and serves no source", async ({ anyone }) => {
  const [asset = ""] = /\/_next\/static\/[^"\\]+\.js/.exec((await anyone.get("/login")).text) ?? [];
  const served = ["/_next/static/nothing.js", "/favicon.ico", "/robots.txt", "/.env", "/.git/config", "/package.json"];
  for (const path of [asset, ...served, "/%zz"]) {
    const answer = await anyone.get(path);
    expect([path, answer.status < 500]).toEqual([path, true]);
    expect([path, answer.headers["x-content-type-options"]]).toEqual([path, "nosniff"]);
    expect(answer.text).not.toMatch(/"devDependencies"|\[core\]|AUTH_SECRET=/);
  }
});

test("follows `next` after sign-in to the service's own pages only", async ({ context, owner, baseURL }) => {
  for (const next of [
    "//evil.example",
    "https://evil.example",
    "/\\evil.example",
    "javascript:alert(1)",
    "/%2f/evil.example",
    "/\t/evil.example",
  ]) {
    await context.clearCookies();
    // A new page: the old one may still be navigating.
    const page = await context.newPage();
    await page.goto(`/login?next=${encodeURIComponent(next)}`);
    await page.getByLabel(/email/i).fill(owner.email);
    await page
      .getByLabel(/password/i)
      .first()
      .fill(owner.password);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.pathname !== "/login");
    expect(new URL(page.url()).origin).toBe(baseURL);
    await page.close();
  }
});

test("lists every route of the OpenAPI document in the API reference", async ({ page, anyone }) => {
  const routes = await listedRoutes(anyone);
  await page.goto("/docs/api");
  // biome-ignore lint/performance/useDomNodeTextContent: only what a person sees counts, not the scripts in the page
  const shown = async () => (await page.locator("body").innerText()).replace(/\s/g, "");
  await expect.poll(async () => (await shown()).includes("/api/health")).toBe(true);
  const text = await shown();
  expect(routes.filter(({ path }) => !text.includes(path)).map(({ path }) => path)).toEqual([]);
});

test("breaks no security policy and logs no error on any page", async ({ page, context, owner, baseURL }) => {
  test.setTimeout(150_000);
  const complaints: string[] = [];
  let path = "";
  await page.exposeFunction("complain", (text: string) => complaints.push(`${path}: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      // @ts-expect-error the function that the test has put there
      window.complain(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  page.on("pageerror", (error) => complaints.push(`${path}: ${error}`));
  page.on("console", (message) => {
    // A 404 is the correct answer for a missing page.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(`${path}: ${message.text()}`);
    }
  });
  await newConnection(owner);
  const visit = async (each: string) => {
    path = each;
    await page.goto(each);
    await page.waitForLoadState("load");
    await expect(page.locator("body")).toHaveText(/\S/);
    await expect.poll(() => page.evaluate(() => document.readyState)).toBe("complete");
  };
  for (const each of OPEN_PAGES) await visit(each);
  await context.addCookies([{ name: "auth_session", value: owner.session, url: String(baseURL) }]);
  for (const each of await pagesOf(owner)) await visit(each);
  expect(complaints).toEqual([]);
});
