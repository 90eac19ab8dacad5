import { auth } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as serverMetadata from "@/app/.well-known/oauth-authorization-server/route";
import * as resourceMetadata from "@/app/.well-known/oauth-protected-resource/api/mcp/route";
import { ACCESS_MS } from "@/lib/features/accounts/connected-apps/authorization-server";
import { writeAppUses } from "@/lib/features/accounts/connected-apps/uses";
import { collections } from "@/lib/features/instance/collections";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { sampleIdOf } from "@/test/fixtures/connections/sample";
import { ClientMemory } from "@/test/mcp-client";
import { dumpDatabase } from "@/test/security/dump";
import { type Person, removeMember, seedMember, seedPerson } from "@/test/seed";

process.env.RATE_LIMIT_SCALE = "1000";
const own = takeOwnDatabase();
afterAll(() => own.drop());

const ORIGIN = "http://localhost:3000";
const MCP = `${ORIGIN}/api/mcp`;

let ana: Person;
beforeAll(async () => {
  ana = await seedPerson("Ana");
});

const WELL_KNOWN: Record<string, typeof serverMetadata.GET> = {
  "/.well-known/oauth-authorization-server": serverMetadata.GET,
  "/.well-known/oauth-protected-resource/api/mcp": resourceMetadata.GET,
};

/** Sends a client's requests to the routes. */
const toRoutes = (async (url: string | URL, init: RequestInit = {}) => {
  const { pathname } = new URL(url);
  const known = WELL_KNOWN[pathname];
  if (known) return known(new Request(url), { params: Promise.resolve({}) });
  if (pathname.startsWith("/.well-known")) return new Response(null, { status: 404 });
  const headers = Object.fromEntries(new Headers(init.headers));
  const rawBody = init.body instanceof URLSearchParams ? init.body.toString() : (init.body as string);
  return callRaw(init.method ?? "GET", pathname, { headers, ...(rawBody && { rawBody }) });
}) as typeof fetch;

/** Signs a stock client in, with the person's decision in place of the consent page. */
async function signIn(
  person: Person,
  options: { scopes?: string[]; workspaceId?: string; memory?: ClientMemory } = {},
) {
  const memory = options.memory ?? new ClientMemory();
  expect(await auth(memory, { serverUrl: MCP, fetchFn: toRoutes })).toBe("REDIRECT");
  const { redirectTo } = (await decide(person, memory, options)).json.data;
  const code = new URL(redirectTo).searchParams.get("code") ?? "";
  expect(await auth(memory, { serverUrl: MCP, authorizationCode: code, fetchFn: toRoutes })).toBe("AUTHORIZED");
  return { memory, code };
}

function decide(
  person: Person,
  memory: ClientMemory,
  {
    scopes = ["read", "write"],
    workspaceId = person.workspaceId,
    isAllowed = true,
    ...changed
  }: {
    scopes?: string[];
    workspaceId?: string;
    isAllowed?: boolean;
    request?: Record<string, string>;
  } = {},
) {
  const request = { ...Object.fromEntries(memory.opened?.searchParams ?? []), ...changed.request };
  return call("POST", "/api/oauth/authorize", {
    cookie: person.cookie,
    body: { request, workspaceId, scopes, isAllowed },
  });
}

async function connect(memory: ClientMemory): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP), { authProvider: memory, fetch: toRoutes }));
  return client;
}

const token = (fields: Record<string, string>) =>
  call("POST", "/api/oauth/token", {
    rawBody: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
const redeem = (memory: ClientMemory, code: string, changed: Record<string, string> = {}) =>
  token({
    grant_type: "authorization_code",
    code,
    client_id: memory.client?.client_id ?? "",
    code_verifier: memory.verifier,
    redirect_uri: memory.redirectUrl,
    resource: MCP,
    ...changed,
  });
const refresh = (memory: ClientMemory, refresh_token = memory.saved?.refresh_token ?? "") =>
  token({ grant_type: "refresh_token", refresh_token, client_id: memory.client?.client_id ?? "" });
const listTools = (key: string) =>
  call("POST", "/api/mcp", { key, body: { jsonrpc: "2.0", id: 1, method: "tools/list" } });
const statusOf = async (memory: ClientMemory) => (await listTools(memory.saved?.access_token ?? "")).status;
const listApps = async (person: Person) =>
  (await call("GET", `/api/workspaces/${person.workspaceId}/connected-apps`, { cookie: person.cookie })).json.data;

/** Brings a client to the point at which it has a code. */
async function toCode(memory = new ClientMemory()) {
  await auth(memory, { serverUrl: MCP, fetchFn: toRoutes });
  const { redirectTo } = (await decide(ana, memory)).json.data;
  return { memory, code: new URL(redirectTo).searchParams.get("code") ?? "" };
}

describe("a stock client of the Model Context Protocol", () => {
  it("finds the sign-in from a 401, and works with the rights of the person", async () => {
    const answer = await call("POST", "/api/mcp", { body: {} });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      `Bearer resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/api/mcp"`,
    ]);
    const { memory } = await signIn(ana);
    const client = await connect(memory);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["run_query", "save_console"]));
    expect(names).not.toContain("create_flow");
    const query = { connectionId: await sampleIdOf(ana.workspaceId, ana), query: "select 1 as n" };
    const { structuredContent } = await client.callTool({ name: "run_query", arguments: query });
    expect(structuredContent).toMatchObject({ rows: [{ n: 1 }] });
    expect(await listApps(ana)).toEqual([
      expect.objectContaining({ name: "Desk Assistant", host: "localhost:9911", scopes: ["read", "write"] }),
    ]);
  });

  it("is shown with its calls of 30 days and its last use, written together", async () => {
    const eve = await seedPerson("Eve");
    const { memory } = await signIn(eve);
    await writeAppUses();
    const id = new ObjectId((await listApps(eve))[0].id);
    const find = () => collections.connectedApps().findOne({ _id: id });
    expect((await listApps(eve))[0]).toMatchObject({ calls: 0 });
    const client = await connect(memory);
    const before = await find();
    const count = () => client.callTool({ name: "list_connections", arguments: {} });
    for (let n = 0; n < 3; n += 1) await count();
    expect(await find()).toEqual(before);
    await writeAppUses();
    expect((await listApps(eve))[0]).toMatchObject({ calls: 3, lastUsedAt: expect.any(String) });
    // A day that left the range is not counted, and its slot is taken over.
    const today = Math.floor(Date.now() / 86_400_000);
    const slotOf = (day: number) => `calls.${day % 31}`;
    const set = {
      [slotOf(today - 29)]: { day: today - 29, count: 40 },
      [slotOf(today - 30)]: { day: today - 30, count: 500 },
    };
    await collections.connectedApps().updateOne({ _id: id }, { $set: set });
    expect((await listApps(eve))[0].calls).toBe(43);
    await collections
      .connectedApps()
      .updateOne({ _id: id }, { $set: { [slotOf(today)]: { day: today - 31, count: 9 } } });
    await count();
    await writeAppUses();
    expect((await listApps(eve))[0].calls).toBe(41);
    expect(Object.keys((await find())?.calls ?? {}).length).toBeLessThanOrEqual(31);
  });

  it("renews its access token, and is signed out by a revocation", async () => {
    const { memory } = await signIn(ana);
    const first = memory.saved?.access_token;
    expect(await auth(memory, { serverUrl: MCP, fetchFn: toRoutes })).toBe("AUTHORIZED");
    expect(memory.saved?.access_token).not.toBe(first);
    expect(await statusOf(memory)).toBe(200);
    const [app] = await listApps(ana);
    const path = `/api/workspaces/${ana.workspaceId}/connected-apps/${app.id}`;
    expect((await call("DELETE", path, { cookie: ana.cookie })).status).toBe(200);
    expect(await statusOf(memory)).toBe(401);
    expect((await refresh(memory)).json.error).toBe("invalid_grant");
    expect((await call("DELETE", path, { cookie: ana.cookie })).status).toBe(404);
  });

  it("stores no code and no token in clear", async () => {
    const { memory, code } = await signIn(ana);
    const dump = await dumpDatabase();
    for (const secret of [code, memory.saved?.access_token ?? "", memory.saved?.refresh_token ?? ""]) {
      expect(secret.length).toBeGreaterThan(40);
      expect(dump).not.toContain(secret);
    }
  });
});

describe("the scopes of a token", () => {
  it("limit the tools; the answer names the missing one", async () => {
    const { memory } = await signIn(ana, { scopes: ["read"] });
    const client = await connect(memory);
    expect((await client.listTools()).tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "save_console", arguments: {} } };
    const answer = await call("POST", "/api/mcp", { key: memory.saved?.access_token ?? "", body });
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      403,
      expect.stringMatching(/error="insufficient_scope", scope="read write"/),
    ]);
  });

  it("never include tools that delete, share or move", async () => {
    const { memory } = await signIn(ana, { scopes: ["read", "write", "build"] });
    const client = await connect(memory);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["save_dashboard", "create_flow"]));
    for (const name of ["delete_item", "save_app", "save_folder"]) {
      expect(names).not.toContain(name);
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`Connected apps can't use ${name}`);
    }
    const body = { name: "Shared", access: "workspace" };
    for (const [name, area, input] of [
      ["save_dashboard", "dashboards", { title: "Shown to all" }],
      ["save_console", "consoles", { name: "Shown to all", content: "select 1" }],
    ] as const) {
      const folders = `/api/workspaces/${ana.workspaceId}/${area}/folders`;
      const folderId = (await call("POST", folders, { cookie: ana.cookie, body })).json.data.id;
      const shared = await client.callTool({ name, arguments: { ...input, folderId } });
      expect(shared).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/can't share/) }] });
    }
  });

  it("are at most those asked for", async () => {
    const memory = new ClientMemory();
    await auth(memory, { serverUrl: MCP, scope: "read", fetchFn: toRoutes });
    await decide(ana, memory, { scopes: ["read", "write", "build"] });
    expect((await listApps(ana))[0].scopes).toEqual(["read"]);
  });

  it("can be narrowed by a refresh, never widened", async () => {
    const { memory } = await signIn(ana);
    const client_id = memory.client?.client_id ?? "";
    const fields = { grant_type: "refresh_token", refresh_token: memory.saved?.refresh_token ?? "", client_id };
    expect((await token({ ...fields, scope: "read build" })).json.error).toBe("invalid_scope");
    const narrowed = await token({ ...fields, scope: "read" });
    expect([narrowed.status, narrowed.json.scope]).toEqual([200, "read"]);
  });

  it("hold for /api/mcp alone: no other route takes the token", async () => {
    const { memory } = await signIn(ana);
    const key = memory.saved?.access_token ?? "";
    for (const path of ["/api/workspaces", `/api/workspaces/${ana.workspaceId}/consoles`]) {
      expect((await call("GET", path, { key, cookie: ana.cookie })).status).toBe(401);
    }
  });
});

describe("a code", () => {
  it("works once; a replay ends the access that it gave", async () => {
    const { memory, code } = await signIn(ana);
    expect(await statusOf(memory)).toBe(200);
    expect((await redeem(memory, code)).json.error).toBe("invalid_grant");
    expect(await statusOf(memory)).toBe(401);
    expect((await refresh(memory)).json.error).toBe("invalid_grant");
  });

  it("gives tokens to at most one of two at once", async () => {
    const { memory, code } = await toCode();
    const both = await Promise.all([redeem(memory, code), redeem(memory, code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it.each([
    ["another client", { client_id: "mc_unknown" }, "invalid_client"],
    ["no proof", { code_verifier: "" }, "invalid_grant"],
    ["another proof", { code_verifier: "x".repeat(43) }, "invalid_grant"],
    ["another return address", { redirect_uri: "https://other.example/" }, "invalid_grant"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
  ])("is refused with %s", async (_, changed, error) => {
    const { memory, code } = await toCode();
    expect((await redeem(memory, code, changed)).json.error).toBe(error);
  });

  it("expires", async () => {
    const { memory, code } = await toCode();
    await collections.oauthTokens().updateMany({ kind: "code" }, { $set: { expiresAt: new Date(0) } });
    expect((await redeem(memory, code)).json.error).toBe("invalid_grant");
  });
});

describe("a refresh token", () => {
  it("works once; reuse ends the access of the app", async () => {
    const { memory } = await signIn(ana);
    const next = await refresh(memory);
    expect(next.status).toBe(200);
    expect((await listTools(next.json.access_token)).status).toBe(200);
    expect((await refresh(memory)).json.error).toBe("invalid_grant");
    expect((await listTools(next.json.access_token)).status).toBe(401);
    expect((await refresh(memory, next.json.refresh_token)).json.error).toBe("invalid_grant");
  });

  it("serves at most one of two at once", async () => {
    const { memory } = await signIn(ana);
    const both = await Promise.all([refresh(memory), refresh(memory)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it("is revoked by its client, with everything that came from it", async () => {
    const { memory } = await signIn(ana);
    const revoke = (value = "", client_id = memory.client?.client_id ?? "") =>
      call("POST", "/api/oauth/revoke", { rawBody: new URLSearchParams({ token: value, client_id }).toString() });
    expect((await revoke(memory.saved?.refresh_token, "mc_other")).status).toBe(200);
    expect(await statusOf(memory)).toBe(200);
    expect((await revoke(memory.saved?.refresh_token)).status).toBe(200);
    expect(await statusOf(memory)).toBe(401);
    expect((await revoke("unknown")).status).toBe(200);
  });
});

describe("an access token", () => {
  it("expires", async () => {
    const { memory } = await signIn(ana);
    expect(memory.saved?.expires_in).toBe(ACCESS_MS / 1000);
    await collections.oauthTokens().updateMany({ kind: "access" }, { $set: { expiresAt: new Date() } });
    const answer = await listTools(memory.saved?.access_token ?? "");
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
  });

  it("reaches nothing of another workspace of the same person", async () => {
    const made = await call("POST", "/api/workspaces", { cookie: ana.cookie, body: { name: "Second" } });
    const { memory } = await signIn(ana, { workspaceId: made.json.data.id });
    const client = await connect(memory);
    const foreign = { connectionId: await sampleIdOf(ana.workspaceId, ana), query: "select 1" };
    const answer = await client.callTool({ name: "run_query", arguments: foreign });
    expect(answer).toMatchObject({ isError: true, content: [{ text: "Connection not found." }] });
  });

  it("ends with the person's membership, and its entry is theirs or an admin's to revoke", async () => {
    const bob = await seedMember(ana.workspaceId, "member");
    const { memory } = await signIn(bob);
    const [app] = await listApps(bob);
    expect(await listApps(bob)).toHaveLength(1);
    expect((await listApps(ana)).map(({ id }: { id: string }) => id)).toContain(app.id);
    const [anas] = (await signIn(ana)) && (await listApps(ana));
    const path = `/api/workspaces/${ana.workspaceId}/connected-apps/${anas.id}`;
    expect((await call("DELETE", path, { cookie: bob.cookie })).status).toBe(404);
    await removeMember(ana.workspaceId, bob);
    expect(await statusOf(memory)).toBe(401);
    expect((await refresh(memory)).status).toBe(200);
    expect(await statusOf(memory)).toBe(401);
  });
});

describe("an authorization request", () => {
  it.each([
    ["a return address on another host", { redirect_uri: "https://evil.example/callback" }],
    ["a return address with another path", { redirect_uri: "http://localhost:9911/other" }],
    ["an unknown client", { client_id: "mc_unknown" }],
  ])("with %s sends nothing there", async (_, request) => {
    const memory = new ClientMemory();
    await auth(memory, { serverUrl: MCP, fetchFn: toRoutes });
    const answer = await decide(ana, memory, { request });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  });

  it.each([
    ["without PKCE", { code_challenge: "" }, "invalid_request"],
    ["with a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["for another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["with an unknown scope", { scope: "read admin" }, "invalid_scope"],
    ["for a token", { response_type: "token" }, "unsupported_response_type"],
  ])("%s returns an error to the client", async (_, request, error) => {
    const memory = new ClientMemory();
    await auth(memory, { serverUrl: MCP, fetchFn: toRoutes });
    const { redirectTo } = (await decide(ana, memory, { request: { state: "s1", ...request } })).json.data;
    const { origin, searchParams } = new URL(redirectTo);
    expect([origin, searchParams.get("error"), searchParams.get("state"), searchParams.get("iss")]).toEqual([
      "http://localhost:9911",
      error,
      "s1",
      ORIGIN,
    ]);
  });

  it("accepts another port on the client's own machine", async () => {
    const memory = new ClientMemory();
    await auth(memory, { serverUrl: MCP, fetchFn: toRoutes });
    const request = { redirect_uri: "http://localhost:1234/callback" };
    const { redirectTo } = (await decide(ana, memory, { request })).json.data;
    expect(redirectTo).toMatch(/^http:\/\/localhost:1234\/callback\?code=/);
  });

  it("is denied, and needs a workspace of the person", async () => {
    const memory = new ClientMemory();
    await auth(memory, { serverUrl: MCP, fetchFn: toRoutes });
    const { redirectTo } = (await decide(ana, memory, { isAllowed: false })).json.data;
    expect(new URL(redirectTo).searchParams.get("error")).toBe("access_denied");
    const eve = await seedPerson("Eve");
    expect((await decide(ana, memory, { workspaceId: eve.workspaceId })).status).toBe(403);
    expect((await decide(ana, memory, { workspaceId: new ObjectId().toHexString() })).status).toBe(403);
  });
});

describe("registering a client", () => {
  const register = (body: unknown) => call("POST", "/api/oauth/register", { body });
  it.each([
    "http://evil.example/callback",
    "javascript:alert(1)",
    "javascript://%0aalert(1)",
    "data:text/html,x",
    "https://desk.example/#fragment",
    "https://user:secret@desk.example/",
    "not an address",
    `${"a".repeat(300)}://callback`,
    `https://${"a".repeat(300)}.example/`,
  ])("refuses to return to %s", async (uri) => {
    const answer = await register({ redirect_uris: [uri] });
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringMatching(/^invalid_/)]);
  });

  it.each(["https://desk.example/cb", "http://127.0.0.1/cb", "http://[::1]:80/cb", "desk-app://callback"])(
    "accepts %s",
    async (uri) => {
      expect((await register({ redirect_uris: [uri] })).status).toBe(201);
    },
  );

  it("is bounded, and shows no hidden characters of a name", async () => {
    const redirect_uris = ["https://desk.example/cb"];
    const { json } = await register({ redirect_uris, client_name: `\u202eDesk\n${"x".repeat(500)}` });
    expect([json.client_name.length, json.client_name.startsWith("Deskx")]).toEqual([60, true]);
    const piled = await register({ redirect_uris, client_name: `\u3164a${"\u0336".repeat(50)}` });
    expect(piled.json.client_name).toBe(`a${"\u0336".repeat(3)}`);
    expect((await register({ redirect_uris: Array(11).fill(redirect_uris[0]) })).status).toBe(400);
    expect((await register({ redirect_uris: [] })).status).toBe(400);
    expect((await register("no object")).json.error).toBe("invalid_client_metadata");
    expect((await call("POST", "/api/oauth/register", { rawBody: "{" })).json.error).toBe("invalid_client_metadata");
  });
});
