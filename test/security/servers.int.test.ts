import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeUri } from "@/lib/platform/process/store-uri";
import { splitCases } from "@/test/cases";
import { PASSWORD } from "@/test/seed";
import { becomesHealthy, startServer, type TestServer } from "@/test/servers/millrace";
import { dumpDatabase } from "./dump";
import { ask, type Reply, residentBytes, runScript, sendRaw, sessionOf } from "./real-servers";

/** Includes a build if this file runs alone on a changed tree. */
const START_TIMEOUT_MS = 240_000;
const MIB = 1024 * 1024;
const PUBLIC_URL = "http://millrace.test:3000";
const RESEND_KEY = "re_s3cr3t-marker-of-the-mail-service";
const CLIENT_SECRET = "s3cr3t-marker-of-the-sign-in-provider";
const MODEL_KEY = "sk-s3cr3t-marker-of-the-model";

let folder: string;
let dataDir: string;
let first: TestServer;
let second: TestServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "two-servers-"));
  dataDir = join(folder, "data");
  const env = {
    DATA_DIR: dataDir,
    PUBLIC_URL,
    GITHUB_CLIENT_ID: "client",
    GITHUB_CLIENT_SECRET: CLIENT_SECRET,
    STRIPE_API_URL: "http://nowhere.invalid",
  };
  // Nothing listens there, so that emails fail with the key in use.
  const mail = { RESEND_API_KEY: RESEND_KEY, RESEND_BASE_URL: "http://127.0.0.1:9", OPENAI_API_KEY: MODEL_KEY };
  first = await startServer({ ...env, ...mail });
  await becomesHealthy(first);
  second = await startServer({ ...env, TRUST_PROXY: "1" });
  await becomesHealthy(second);
}, START_TIMEOUT_MS);

afterAll(async () => {
  for (const server of [first, second]) server?.process.kill("SIGTERM");
  await Promise.all([first?.ended, second?.ended]);
  rmSync(folder, { recursive: true, force: true });
});

type Account = { id: string; email: string; cookie: string; workspaceId: string };

async function register(server: TestServer, name = "Ana"): Promise<Account> {
  const email = `${randomUUID()}@example.com`;
  // Each user has a separate address behind the proxy, so that they do not share one rate limit.
  const headers = { "X-Forwarded-For": `198.51.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}` };
  const reply = await ask(server, "/api/auth/register", { body: { email, password: PASSWORD, name }, headers });
  if (reply.status !== 201) throw new Error(reply.text);
  const { user, workspace } = reply.json.data;
  return { id: user.id, email, cookie: sessionOf(reply), workspaceId: workspace.id };
}

const login = (server: TestServer, email: string, password = PASSWORD, headers = {}) =>
  ask(server, "/api/auth/login", { body: { email, password }, headers });
const me = (server: TestServer, cookie: string) => ask(server, "/api/auth/me", { cookie });

describe("two servers on one store", () => {
  it("count one account's wrong passwords together, and block on both (T4)", async () => {
    const [target, other] = [await register(second), await register(second)];
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) {
      statuses.push((await login(i % 2 ? first : second, target.email, "not the password")).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    for (const server of [first, second]) {
      const right = await login(server, target.email);
      expect([right.status, right.json.code]).toEqual([429, "rate_limited"]);
      expect(Number(right.headers["retry-after"])).toBeGreaterThan(0);
      expect((await login(server, other.email)).status).toBe(200);
    }
  });

  it("share sessions: a session opened or ended on one is known to the other (T11)", async () => {
    const account = await register(second);
    expect((await me(first, account.cookie)).status).toBe(200);
    const elsewhere = sessionOf(await login(first, account.email));
    expect((await me(second, elsewhere)).status).toBe(200);

    await ask(first, "/api/auth/logout", { method: "POST", cookie: account.cookie });
    for (const server of [first, second]) expect((await me(server, account.cookie)).status).toBe(401);

    const third = sessionOf(await login(second, account.email));
    const change = { current: PASSWORD, next: "another short sentence" };
    expect((await ask(first, "/api/auth/password", { cookie: third, body: change })).status).toBe(200);
    for (const server of [first, second]) {
      expect([(await me(server, elsewhere)).status, (await me(server, third)).status]).toEqual([401, 200]);
    }
  });

  it("share API keys: a revoked key, or one of a removed member, is rejected on both at once (T19, T20)", async () => {
    const [owner, admin] = [await register(second, "Owner"), await register(second, "Admin")];
    const base = `/api/workspaces/${owner.workspaceId}`;
    const invite = await ask(first, `${base}/invites`, {
      cookie: owner.cookie,
      body: { email: admin.email, role: "admin" },
    });
    const token = invite.json.data.link.split("/").at(-1);
    expect((await ask(second, `/api/invites/${token}/accept`, { method: "POST", cookie: admin.cookie })).status).toBe(
      200,
    );
    const make = async (cookie: string) =>
      (await ask(first, `${base}/api-keys`, { cookie, body: { name: "Key" } })).json.data as {
        id: string;
        key: string;
      };
    const [mine, theirs] = [await make(owner.cookie), await make(admin.cookie)];
    for (const { key } of [mine, theirs]) expect((await ask(second, base, { key })).status).toBe(200);

    expect((await ask(first, `${base}/api-keys/${mine.id}`, { method: "DELETE", cookie: owner.cookie })).status).toBe(
      200,
    );
    expect((await ask(second, base, { key: mine.key })).status).toBe(401);
    const out = await ask(second, `${base}/members/${admin.id}`, { method: "DELETE", cookie: owner.cookie });
    expect(out.status).toBe(200);
    expect((await ask(first, base, { key: theirs.key })).status).toBe(401);
    expect((await ask(first, base, { cookie: admin.cookie })).status).toBe(403);
  });
});

describe("claims of proxies and clients (T109)", () => {
  it("resets no limit for a made-up client address without a trusted proxy", async () => {
    const { email } = await register(second);
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) {
      const made = `203.0.113.${i}`;
      const headers = {
        "X-Forwarded-For": made,
        "X-Real-IP": made,
        Forwarded: `for=${made}`,
        "X-Millrace-Remote-Address": made,
      };
      statuses.push((await login(first, email, "not the password", headers)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  it("uses the last address behind a proxy, not the client's claim", async () => {
    const { email } = await register(second);
    const statuses: number[] = [];
    for (let i = 0; i < 11; i += 1) {
      const headers = { "X-Forwarded-For": `203.0.113.${i}, 192.0.2.200`, "X-Millrace-Remote-Address": `10.0.0.${i}` };
      statuses.push((await login(second, email, "not the password", headers)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  it("C49 answers /metrics to this machine, and not through a proxy", async () => {
    const statusOf = async (headers: Record<string, string>) =>
      (await fetch(`${first.url}/metrics`, { headers })).status;
    expect(await statusOf({})).toBe(200);
    expect(await statusOf({ "X-Forwarded-For": "127.0.0.1" })).toBe(404);
    expect(await statusOf({ Via: "1.1 proxy", "X-Millrace-Proxied": "no" })).toBe(404);
  });

  it("puts no made-up host into a link, and lets the operator find a reset link", async () => {
    const { email } = await register(second);
    const headers = { Host: "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
    expect((await ask(first, "/api/auth/password/forgot", { body: { email }, headers })).status).toBe(200);
    let output = "";
    await expect
      .poll(
        async () => {
          output = await runScript("outbox", dataDir);
          return output;
        },
        { timeout: 20_000 },
      )
      .toContain(`to ${email}`);
    expect(output).not.toContain("evil.example");
    const token = new RegExp(`to ${email}[^]*?${PUBLIC_URL}/reset/([\\w-]{43})`).exec(output)?.[1];
    const body = { token, password: "another short sentence" };
    expect((await ask(second, "/api/auth/password/reset", { body })).status).toBe(200);
    expect((await login(first, email, "another short sentence")).status).toBe(200);
    for (const path of ["/", "/login", "/nothing", "/w/nothing"]) {
      const page = await ask(first, path, { headers });
      expect(page.text + JSON.stringify(page.headers)).not.toContain("evil.example");
    }
  });
});

const COMMON = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};
const pick = (reply: Reply, names: string[]) => Object.fromEntries(names.map((name) => [name, reply.headers[name]]));

describe("security headers (T106)", () => {
  it.each([
    ["/", [200, 307]],
    ["/login", [200]],
    ["/register", [200]],
    ["/forgot", [200]],
    ["/reset/x", [200]],
    ["/invites/x", [200, 404]],
    ["/w/nothing/consoles", [307, 404]],
    ["/nothing", [404]],
    ["/nothing.png", [404]],
    ["/w/a.js", [307, 404]],
    ["/favicon.ico", [404]],
    ["/..%2f..%2fetc%2fpasswd", [404]],
    ["/x%00y", [404]],
  ])("are all on the page %s, with a new nonce", async (path, statuses) => {
    const [one, two] = [await ask(first, path), await ask(first, path)];
    expect(statuses).toContain(one.status);
    expect(pick(one, Object.keys(COMMON))).toEqual(COMMON);
    const policyOf = (reply: Reply) => String(reply.headers["content-security-policy"]);
    const directives = Object.fromEntries(
      policyOf(one)
        .split("; ")
        .map((part) => part.split(/ (.*)/s).slice(0, 2)),
    );
    expect(directives).toMatchObject({
      "default-src": "'self'",
      "object-src": "'none'",
      "base-uri": "'none'",
      "form-action": "'self'",
      "frame-ancestors": "'none'",
      "img-src": "'self' data: blob:",
    });
    expect(directives["script-src"]).toMatch(/^'self' 'nonce-[A-Za-z0-9+/]{22}==' 'strict-dynamic'$/);
    expect(policyOf(two)).not.toBe(policyOf(one));
    // The policy allows every script of the page.
    const nonce = /'nonce-([^']+)'/.exec(policyOf(one))?.[1];
    const scripts = one.text.match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
    expect(one.headers["x-powered-by"]).toBeUndefined();
  });

  it.each([
    ["/api/health", "GET", 200],
    ["/api/openapi.json", "GET", 200],
    ["/api/auth/me", "GET", 401],
    ["/api/nothing", "GET", 404],
    ["/api", "GET", 404],
    ["/api/", "GET", 404],
    ["/api/%", "GET", 404],
    ["/api/workspaces/%zz", "GET", 404],
    ["/api/health", "DELETE", 405],
    ["/api/health", "OPTIONS", 405],
    ["/api/health", "TRACE", 405],
    ["/api/health", "PROPFIND", 405],
    ["/api/nothing", "TRACE", 404],
    ["/api/auth/login", "POST", 400],
  ])("are all on the response of %s to %s, which is data and never a page", async (path, method, status) => {
    const reply = await ask(first, path, { method });
    expect(reply.status).toBe(status);
    expect(pick(reply, Object.keys(COMMON))).toEqual(COMMON);
    expect(reply.headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    expect(reply.headers["content-type"]).toMatch(/^application\/json/);
    expect(reply.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.headers["x-powered-by"]).toBeUndefined();
  });

  it("prevent sniffing of what the framework serves itself", async () => {
    const page = await ask(first, "/login");
    const script = /src="(\/_next\/static\/[^"]+\.js)"/.exec(page.text)?.[1] ?? "";
    const asset = await ask(first, script);
    expect([asset.status, asset.headers["x-content-type-options"]]).toEqual([200, "nosniff"]);
    expect(asset.headers["cache-control"]).toMatch(/immutable/);
  });

  it("allow caching of hashed files only", async () => {
    for (const path of ["/", "/login", "/nothing", "/api/health", "/api/openapi.json", "/api/auth/me"]) {
      expect([path, (await ask(first, path)).headers["cache-control"]]).toEqual([
        path,
        expect.stringContaining("no-store"),
      ]);
    }
  });
});

describe("malformed requests", () => {
  it.each([
    ["an address without a path", "GET http://evil.example HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
    [
      "an address of another host",
      "GET http://evil.example/api/auth/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ],
    ["two Hosts", "GET /api/auth/me HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"],
    ["a method that Node knows and we do not", "PROPFIND /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
    ["a method of its own", "BREW /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
    ["TRACE", "TRACE /api/health HTTP/1.1\r\nHost: x\r\nCookie: auth_session=s3cr3t\r\nConnection: close\r\n\r\n"],
    ["CONNECT", "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
    ["two lengths", "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\n{}{}"],
    [
      "a length and chunks",
      "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n",
    ],
    ["nothing of HTTP", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\r\n\r\n"],
  ])("rejects %s without a stack, a secret or another host's page", async (_, bytes) => {
    const answer = await sendRaw(first, bytes);
    expect(answer).not.toMatch(/\n\s+at |s3cr3t|HTTP\/1\.1 5\d\d|HTTP\/1\.1 200/);
    expect((await ask(first, "/api/health")).status).toBe(200);
  });

  it("ignores a header that once disabled checks (T24)", async () => {
    const headers = { "X-Middleware-Subrequest": "proxy:proxy:proxy:proxy:proxy" };
    expect((await ask(first, "/api/auth/me", { headers })).status).toBe(401);
    const page = await ask(first, "/login", { headers });
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  });
});

describe("a flood of sign-ins (T6)", { tags: ["long"] }, () => {
  it("keeps memory and health with 500 at once, and rejects them with a message", {
    timeout: 120_000,
  }, async () => {
    const { email } = await register(second);
    await login(second, email, "warms the server up");
    const before = await residentBytes(second);
    let peak = 0;
    let answered = 0;
    let isOver = false;
    const watch = async () => {
      while (!isOver) {
        // On a busy machine it may report a slow store; it only has to respond.
        expect([200, 503]).toContain((await ask(second, "/api/health")).status);
        answered += 1;
        peak = Math.max(peak, await residentBytes(second));
      }
    };
    const watching = watch();
    const flood = Array.from({ length: 500 }, (_, i) => {
      const headers = { "X-Forwarded-For": `2001:db8:${i.toString(16)}::1` };
      return login(second, `${i}-${email}`, "not the password", headers);
    });
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    const answeredMeanwhile = answered;
    isOver = true;
    await watching;
    expect(new Set(statuses)).toEqual(new Set([401, 503]));
    expect(peak - before).toBeLessThan(300 * MIB);
    // If they waited for the whole flood, there would be one.
    expect(answeredMeanwhile).toBeGreaterThan(5);
    expect((await ask(second, "/api/health")).status).toBe(200);
    expect((await login(second, email)).status).toBe(200);
  });
});

describe("marker secrets in every secret field (T10, T16, T46, T47, T107)", () => {
  type Field = {
    name: string;
    kind: string;
    secret: boolean;
    required: boolean;
    options?: { value: string }[] | string[];
    showWhen?: { field: string; oneOf: string[] };
    namesShown?: true;
  };
  type Type = { type: string; fields: Field[] };

  /** An endpoint where nothing listens, by field name. */
  const PLACE: Record<string, unknown> = {
    host: "127.0.0.1",
    port: 9,
    user: "reader",
    database: "shop",
    catalog: "shop",
    ssl: "require",
    baseUrl: "http://nowhere.invalid/v1",
    endpoint: "http://nowhere.invalid/graphql",
    "auth.user": "reader",
    "auth.name": "X-Api-Key",
  };

  /** Returns settings for every way to give a connection type its secrets, each of them marked. */
  function configsOf({ type, fields }: Type, marker: string): Record<string, unknown>[] {
    const isOfTunnel = ({ name }: Field) => name.startsWith("ssh.");
    const single = fields.filter((field) => field.name !== "connectionString" && !isOfTunnel(field));
    const kinds = single.filter(({ secret }) => secret).flatMap(({ showWhen }) => showWhen?.oneOf ?? []);
    const address = fields.find(({ name }) => name === "connectionString");
    const ways = kinds.length > 0 ? [...new Set(kinds)] : [null];
    const plain = [
      ...(single.some(({ secret }) => secret) ? ways.map((way) => configOf(single, way, marker)) : []),
      ...(address ? [{ connectionString: `${type}://reader:${marker}-address@127.0.0.1:9/shop` }] : []),
    ];
    const ssh = { host: "127.0.0.1", port: 9, user: "reader", password: `${marker}-tunnel` };
    return [...plain, ...(fields.some(isOfTunnel) ? plain.map((config) => ({ ...config, ssh })) : [])];
  }

  /** @param way the selected option, if secrets depend on it */
  function configOf(fields: Field[], way: string | null, marker: string): Record<string, unknown> {
    const choice = fields.find(({ secret, showWhen }) => secret && showWhen)?.showWhen?.field;
    const config: Record<string, unknown> = {};
    for (const { name, secret, namesShown, showWhen } of fields) {
      if (showWhen && (showWhen.field !== choice || way === null || !showWhen.oneOf.includes(way))) continue;
      const text = `${marker}-${name}`;
      const value = namesShown ? { "X-Marked": text } : secret ? text : name === choice ? way : PLACE[name];
      const [group = "", inner] = name.split(".");
      if (value === undefined) continue;
      config[group] = inner === undefined ? value : { ...(config[group] as object), [inner]: value };
    }
    return config;
  }

  for (const [share, tags] of [[], ["long"]].entries())
    it("appear only encrypted: not in responses, logs or plain in the store", {
      timeout: 120_000,
      tags,
    }, async () => {
      const marker = `s3cr3t-marker-${randomUUID()}`;
      const owner = await register(second, `Eve\n{"level":60,"msg":"forged-line"}`);
      const reader = await register(second, "Reader");
      const base = `/api/workspaces/${owner.workspaceId}`;
      const answers: string[] = [];
      const say = async (server: TestServer, path: string, options: Parameters<typeof ask>[2] = {}) => {
        const reply = await ask(server, path, { cookie: owner.cookie, ...options });
        answers.push(reply.text, JSON.stringify(reply.headers));
        return reply;
      };

      const invite = await say(first, `${base}/invites`, { body: { email: reader.email, role: "member" } });
      await ask(first, `/api/invites/${invite.json.data.link.split("/").at(-1)}/accept`, {
        method: "POST",
        cookie: reader.cookie,
      });

      const types: Type[] = (await say(first, "/api/connectors/types")).json.data;
      const made: string[] = [];
      const tryOut = async (type: string, config: Record<string, unknown>) => {
        const body = { name: type, type, config, readOnly: true };
        const created = await say(first, `${base}/connectors`, { body });
        expect([type, created.status]).toEqual([type, 201]);
        const { id } = created.json.data;
        made.push(id);
        // Each of these fails while the secret is in use.
        const failing = [first, second].flatMap((server) => [
          say(server, `${base}/connections/sources/${id}/test`, { method: "POST" }),
          say(server, `${base}/connectors/${id}/entities`),
          say(server, `${base}/databases/${id}/execute`, { body: { query: "select 1" } }),
        ]);
        await Promise.all([...failing, say(first, `${base}/connectors/test`, { body: { type, config } })]);
        await say(first, `${base}/connectors/${id}`, { method: "PATCH", body: { config: { host: "127.0.0.2" } } });
        const unknown = { ...config, unknown: `${marker}-unknown` };
        expect((await say(first, `${base}/connectors`, { body: { ...body, config: unknown } })).status).toBe(400);
      };
      // Every run has each type with one in eight of these settings.
      const configs = (type: Type) => splitCases(configsOf(type, marker), 8)[share]?.cases ?? [];
      await Promise.all(types.flatMap((type) => configs(type).map((config) => tryOut(type.type, config))));
      expect(made.length).toBeGreaterThanOrEqual(8);

      const password = `${marker}-password`;
      const wrongPassword = `${marker}-wrong`;
      await say(first, "/api/auth/login", { body: { email: owner.email, password: wrongPassword } });
      await say(second, "/api/auth/password", { body: { current: PASSWORD, next: password } });
      const session = sessionOf(await ask(first, "/api/auth/login", { body: { email: owner.email, password } }));
      await say(first, "/api/auth/password/reset", { body: { token: `${marker}-token`, password } });
      const created = await ask(first, `${base}/api-keys`, { cookie: owner.cookie, body: { name: "Key" } });
      const { key } = created.json.data;
      await say(second, base, { key, cookie: undefined });
      await say(second, base, { key: `${key}x`, cookie: undefined });
      await say(first, `/api/auth/callback/github?code=${marker}-code&state=${marker}-state`);
      await say(first, "/api/auth/password/forgot", { body: { email: owner.email } });

      // Every GET, by everyone who is permitted.
      const document = (await say(first, "/api/openapi.json")).json;
      const walk = async (path: string) => {
        const filled = (connectionId: string) =>
          path
            .replace("{workspaceId}", owner.workspaceId)
            .replace("{connectionId}", connectionId)
            .replace(/\{\w+\}/g, "f".repeat(24));
        const callers = [{}, { cookie: reader.cookie }, { key, cookie: undefined }];
        if (!path.includes("{connectionId}")) for (const caller of callers) await say(second, filled(""), caller);
        // Connections fail slowly: every run asks for each as one of the callers.
        else for (const [at, id] of made.entries()) await say(second, filled(id), callers[at % callers.length]);
      };
      await Promise.all(
        Object.keys(document.paths)
          // An event stream ends only with its reader; its content is in the store, which is searched below.
          .filter((each) => document.paths[each].get && !each.endsWith("/events"))
          .map(walk),
      );

      const client = new MongoClient(storeUri(dataDir));
      const dump = await dumpDatabase(client.db("millrace"));
      await client.close();
      const logs = first.output() + second.output();
      const token = owner.cookie.split("=")[1] ?? "";
      const { authSecret, encryptionKeys } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8"));
      expect(String(encryptionKeys)).toMatch(/^[\w-]+:[\w+/]{43}=$/);
      const secrets = {
        "a connection's secret": marker,
        "the API key": key as string,
        "a session's token": token,
        "another session's token": session.split("=")[1] ?? "",
        "the mail service's key": RESEND_KEY,
        "the provider's secret": CLIENT_SECRET,
        "the model's key": MODEL_KEY,
        "the secret of sessions": authSecret as string,
        "the key that seals": String(encryptionKeys).replace(/^[^:]*:/, ""),
      };
      const places = { answers: answers.join("\n"), logs, store: dump };
      const found = Object.entries(secrets).flatMap(([what, secret]) =>
        Object.entries(places)
          .filter(
            ([, text]) => text.includes(secret) || text.includes(Buffer.from(secret).toString("base64").slice(0, -4)),
          )
          .map(([where]) => `${what} in ${where}`),
      );
      expect(found).toEqual([]);
      // The search would have found them: the encrypted form and the hashes are in the dump.
      expect(dump).toMatch(/"password":"v1:[\w-]{1,32}:[\w-]{16}:/);
      expect(dump).toContain("$argon2id$v=19$m=19456,t=2,p=1$");

      // One line of JSON for each entry, with any user name.
      const entries = logs.split("\n").filter((line) => line.startsWith("{"));
      expect(entries.length).toBeGreaterThan(10);
      for (const line of entries) expect(() => JSON.parse(line)).not.toThrow();
      expect(entries.filter((line) => JSON.parse(line).msg === "forged-line")).toEqual([]);
    });
});
