import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { bindingText } from "@/test/fixtures/apps/bindings/binding-world";
import { connectFile } from "@/test/fixtures/connections/connect-file";
import { type Person, removeMember, seedMember, seedPerson } from "@/test/seed";
import type { App } from "../schema";
import { readViewToken, TOKEN_MS, toViewToken } from "./token";

const own = takeOwnDatabase();
let ana: Person;
let anas: AppAuthor;
let app: App;
let base: string;
let token: string;
const BIG = randomBytes(3 * 1024 * 1024 + 17);
const CANARY = "canary-9f1c";

beforeAll(async () => {
  ana = await seedPerson("Ana");
  anas = authorOf(ana, ana.workspaceId);
  app = await anas.make("Orders", { access: "workspace" });
  await anas.write(app, "assets/main-DfK3x9_b.js", "export const n = 1;");
  await anas.write(app, "assets/big.bin", BIG);
  await anas.write(app, "empty.txt", "");
  await anas.write(app, "bindings/secret.sql", bindingText(await connectFile(ana), `select '${CANARY}' as canary`));
  await anas.write(app, "data/größe.json", "[1]");
  await anas.commit(app);
  await anas.send("POST", `/${app.id}/publish`);
  ({ base, token } = await mint(anas, app));
});
afterAll(own.drop);

async function mint(author: AppAuthor, { id }: App) {
  const { json } = await author.send("POST", `/${id}/view-token`);
  return { base: new URL(json.data.url).pathname, token: json.data.token as string, data: json.data };
}
const get = (path: string, headers?: Record<string, string>) => call("GET", base + path, { headers });

describe("an app's URL", () => {
  it("is of the published version, valid for a quarter of an hour, without credentials (T94)", async () => {
    const { data } = await mint(anas, app);
    expect(data).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]+$/),
      url: expect.stringMatching(/\/api\/apps\/view\/[\w.-]+\/$/),
      sha: expect.stringMatching(/^[0-9a-f]{40}$/),
      expiresAt: expect.any(String),
    });
    const left = new Date(data.expiresAt).getTime() - Date.now();
    expect(left).toBeGreaterThan(TOKEN_MS - 60_000);
    expect(left).toBeLessThanOrEqual(TOKEN_MS);
    const script = "assets/main-DfK3x9_b.js";
    const withToken = await get(script);
    expect([withToken.status, withToken.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
    const byCookie = `/api/workspaces/${ana.workspaceId}/apps/${app.id}/view/${script}`;
    expect((await call("GET", byCookie)).status).toBe(401);
    expect((await call("GET", byCookie, { cookie: ana.cookie })).text).toBe(withToken.text);
  });

  it("allows loading, and blocks everything outbound, in every response", async () => {
    for (const [path, status] of [
      ["", 200],
      ["style.css", 200],
      ["no.js", 404],
    ] as const) {
      const answer = await get(path);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      const policy = answer.headers.get("content-security-policy") ?? "";
      const directives = new Map(policy.split("; ").map((each) => [each.split(" ")[0], each.split(" ").slice(1)]));
      expect(directives.get("sandbox")).not.toContain("allow-same-origin");
      expect(directives.get("frame-src")).toEqual(["'none'"]);
      for (const name of ["connect-src", "img-src", "form-action", "base-uri", "font-src", "media-src", "worker-src"]) {
        const sources = (directives.get(name) ?? []).filter((source) => !["data:", "blob:"].includes(source));
        expect(sources, name).toEqual([`http://localhost:3000${base}`]);
      }
      expect(answer.headers.get("connection-allowlist")).toBe(
        `("http{s}?://localhost:3000${base}*");redirects=block;webrtc=block`,
      );
    }
  });

  it("limits connections to itself, at any of its addresses (T92)", async () => {
    for (const [host, pattern] of [
      ["127.0.0.1:4000", "http{s}?://127.0.0.1:4000"],
      // A colon would start a group in the pattern.
      ["[::1]:4000", "http{s}?://[\\\\:\\\\:1]:4000"],
    ] as const) {
      const answer = await get("", { host });
      expect(answer.headers.get("connection-allowlist")).toBe(
        `("http{s}?://localhost:3000${base}*" "${pattern}${base}*");redirects=block;webrtc=block`,
      );
    }
  });

  it("has no path that widens its connections (T92)", async () => {
    const answer = await call("GET", "/api/apps/view/*(.*):x/");
    expect(answer.status).toBe(401);
    expect(answer.headers.get("connection-allowlist")).toContain("/api/apps/view/\\\\*\\\\(.\\\\*\\\\)%3Ax/*");
  });

  it.each(["view", "dev"])("has no path below /api/apps/%s that sets a header (T92)", async (kind) => {
    const good = await call("GET", `/api/apps/${kind}/none/`);
    const namesOf = (answer: typeof good) =>
      (answer.headers.get("content-security-policy") ?? "").split("; ").map((directive) => directive.split(" ")[0]);
    for (const made of ["%C3%84%E1%98%AC%F0%9F%A6%86", "x%3B%20script-src%20*", "x%0D%0Aset-cookie:a=b", "%22%2C%22"]) {
      const answer = await call("GET", `/api/apps/${kind}/${made}/`);
      expect([made, answer.status]).toEqual([made, good.status]);
      expect(namesOf(answer)).toEqual(namesOf(good));
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  it("is not a top-level page (T92)", async () => {
    const opened = { "sec-fetch-dest": "document" };
    expect((await get("", opened)).status).toBe(403);
    const byCookie = `/api/workspaces/${ana.workspaceId}/apps/${app.id}/view/`;
    expect((await call("GET", byCookie, { cookie: ana.cookie, headers: opened })).status).toBe(403);
    expect((await get("", { "sec-fetch-dest": "iframe" })).status).toBe(200);
  });

  it("serves the start page for deep paths, and text for a missing file", async () => {
    const deep = await get("orders/7");
    expect([deep.status, deep.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(deep.text).toContain(`<head><base href="${base}">`);
    expect((await get("")).text).not.toContain("<base");
    const missing = await get("assets/other.js");
    expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
    // Also without the trailing slash.
    expect((await call("GET", base.slice(0, -1))).text).toContain("<base");
  });

  it("caches hashed files, and revalidates the rest", async () => {
    const hashed = await get("assets/main-DfK3x9_b.js");
    expect(hashed.headers.get("cache-control")).toContain("immutable");
    const page = await get("");
    expect(page.headers.get("cache-control")).toContain("no-cache");
    const etag = page.headers.get("etag") ?? "";
    const again = await get("", { "if-none-match": `W/${etag}` });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await get("", { "if-none-match": '"other"' })).status).toBe(200);
  });

  it.each([
    ["bytes=0-9", 0, 9],
    ["bytes=1048570-1048590", 1_048_570, 1_048_590],
    ["bytes=3145728-", 3_145_728, BIG.length - 1],
    ["bytes=-5", BIG.length - 5, BIG.length - 1],
    ["bytes=0-99999999", 0, BIG.length - 1],
  ])("sends a range: %s", async (range, first, last) => {
    const answer = await callRaw("GET", `${base}assets/big.bin`, { headers: { range } });
    expect(answer.status).toBe(206);
    expect(answer.headers.get("content-range")).toBe(`bytes ${first}-${last}/${BIG.length}`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(BIG.subarray(first, last + 1))).toBe(true);
  });

  it("sends large, empty and otherwise encoded files whole, and rejects an invalid range", async () => {
    const whole = await callRaw("GET", `${base}assets/big.bin`);
    expect(Buffer.from(await whole.arrayBuffer()).equals(BIG)).toBe(true);
    expect((await get("empty.txt")).text).toBe("");
    expect((await get(encodeURI("data/größe.json"))).text).toBe("[1]");
    const bad = await get("assets/big.bin", { range: `bytes=${BIG.length}-` });
    expect([bad.status, bad.headers.get("content-range")]).toEqual([416, `bytes */${BIG.length}`]);
  });
});

describe("paths that lead outside (T87)", () => {
  const UP = [
    "..",
    "%2e%2e",
    ".%2e",
    "%2e.",
    "..%2f..",
    "%2e%2e%2f",
    "..%5c",
    "%5c..",
    "....//",
    "..;",
    "%c0%ae%c0%ae",
  ];
  const TARGETS = ["bindings/secret.sql", "etc/passwd", "package.json"];
  const more = [
    "/etc/passwd",
    "//etc/passwd",
    "%2fetc%2fpasswd",
    "file:///etc/passwd",
    "C:%5cwindows%5cwin.ini",
    "index.html%00.js",
    "%00",
    "bindings/secret.sql",
    "bindings%2fsecret.sql",
    "bindings%5csecret.sql",
    "./bindings/./secret.sql",
    "BINDINGS/secret.sql",
    ".git/config",
    ".env",
    "%E0%A4%A",
    "bindings/secret.sql%20",
    "bindings/secret.sql.",
    "ｂindings/secret.sql",
  ];
  const corpus = [...UP.flatMap((up) => TARGETS.map((target) => `${up}/${target}`)), ...more];
  it.each(corpus)("%s is not a file of the app", async (path) => {
    // Sent unchanged: a client may send what a browser would have normalised.
    const request = { url: `http://localhost:3000${base}${path}`, headers: new Headers(), method: "GET" };
    const { serveFile } = await import("./serve");
    const deployment = await collections.appDeployments().findOne({ appId: new ObjectId(app.id) });
    if (!deployment) throw new Error("not published");
    const answer = await serveFile(request as Request, deployment, base, new Headers()).then(
      (response) => response.text(),
      (error: { kind: string }) => error.kind,
    );
    // A path without an extension is a page that the app renders.
    if (answer !== "not_found") expect(answer).toContain("<h1>Orders</h1>");
    expect(answer).not.toContain(CANARY);
    expect(answer).not.toContain("root:");
  });
});

describe("a view token (T93)", () => {
  const ask = (given: string) => call("GET", `/api/apps/view/${given}/index.html`);

  it("that is forged, broken, re-encoded or expired is 401, all alike", async () => {
    const [payload = "", mac = ""] = token.split(".");
    const flipped = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
    const over = toViewToken({ ...readViewToken(token), expiresAt: new Date(Date.now() - 1) });
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const forged = [
      ...Array.from(payload, (_, at) => `${flipped(payload, at)}.${mac}`),
      ...Array.from(mac, (_, at) => `${payload}.${flipped(mac, at)}`),
      ...[payload, `${payload}.`, `.${mac}`, `${token}.`, `${token}A`, `${none}.${payload}.`, "none", over],
    ];
    for (const each of forged) {
      const answer = await ask(each);
      expect([answer.status, answer.headers.get("x-error-code")], each).toEqual([401, "unauthenticated"]);
    }
    expect((await ask(token)).status).toBe(200);
  });

  it("opens only its app as published, and no other endpoint", async () => {
    const other = await anas.make("Other");
    await anas.send("POST", `/${other.id}/publish`);
    const pass = readViewToken(token);
    expect((await ask(toViewToken({ ...pass, appId: new ObjectId(other.id) }))).status).toBe(404);
    expect((await ask(toViewToken({ ...pass, workspaceId: new ObjectId() }))).status).toBe(404);
    for (const path of ["/api/auth/me", `/api/workspaces/${ana.workspaceId}/apps/${app.id}/view/`]) {
      expect((await call("GET", path, { key: token })).status).toBe(401);
      expect((await call("GET", path, { cookie: `auth_session=${token}` })).status).toBe(401);
    }
  });

  it("may exist several times, and keeps an open page's version over a later publish", async () => {
    const page = await anas.make("Page");
    await anas.write(page, "index.html", "one");
    await anas.commit(page);
    await anas.send("POST", `/${page.id}/publish`);
    const first = await mint(anas, page);
    await anas.write(page, "index.html", "two");
    await anas.commit(page);
    await anas.send("POST", `/${page.id}/publish`);
    const second = await mint(anas, page);
    expect((await call("GET", first.base)).text).toBe("one");
    expect((await call("GET", second.base)).text).toBe("two");
  });

  it("is created for members only, of visible published apps", async () => {
    const mine = await anas.make("Mine");
    expect(await anas.send("POST", `/${mine.id}/view-token`)).toMatchObject({
      status: 404,
      json: { code: "not_published" },
    });
    await anas.send("POST", `/${mine.id}/publish`);
    const ben = await seedMember(ana.workspaceId, "member");
    const bens = authorOf(ben, ana.workspaceId);
    expect(await bens.send("POST", `/${mine.id}/view-token`)).toMatchObject({
      status: 404,
      json: { code: "not_found" },
    });
    expect((await bens.send("POST", `/${app.id}/view-token`)).status).toBe(200);
    await removeMember(ana.workspaceId, ben);
    expect((await bens.send("POST", `/${app.id}/view-token`)).status).toBe(403);
  });
});
