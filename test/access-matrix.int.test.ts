import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routeModules } from "@/.generated/routes";
import { listEndpoints } from "@/lib/api/registry";
import { call } from "./client";
import { takeOwnDatabase } from "./database";
import { dumpDatabase } from "./security/dump";
import { PASSWORD, PRINCIPALS, seedWorld, type World } from "./seed";

/**
 * Every route × every principal (T24). A route that is missing here fails the build.
 * The statuses stand in the order of PRINCIPALS:
 *   nobody, bad key beside a good cookie, member, admin, owner, owner's key, member's key,
 *   removed member, removed member's key, another workspace's owner, another workspace's key
 */
type Row = { statuses: string; ids?: () => Record<string, string>; query?: () => string; body?: () => unknown };

const OPEN = "200 200 200 200 200 200 200 200 200 200 200";
const ABSENT = "404 404 404 404 404 404 404 404 404 404 404";
const SIGN_IN = "200 401 200 200 200 403 403 200 401 200 403";
const ACCOUNT = "401 401 200 200 200 403 403 200 401 200 403";
const MEMBER = "401 401 200 200 200 200 200 403 401 403 403";
const CREATED_BY_MEMBER = "401 401 201 201 201 201 201 403 401 403 403";
/** The first who may, does; for the others it is gone. */
const FIRST_MEMBER = "401 401 200 404 404 404 404 403 401 403 403";
const ADMIN = "401 401 403 200 200 200 403 403 401 403 403";
const ADMIN_IN_PERSON = "401 401 403 200 200 403 403 403 401 403 403";

const connection = () => ({ connectionId: world.connectionId, query: "select 1 as one" });
const rows = (): Record<string, Row> => ({
  "GET /api/health": { statuses: OPEN },
  "GET /api/openapi.json": { statuses: OPEN },
  "POST /api/auth/register": {
    statuses: "201 401 201 201 201 403 403 201 401 201 403",
    body: () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD }),
  },
  // No provider is set up here; lib/auth/oauth.int.test.ts has one.
  "GET /api/auth/csrf": { statuses: ABSENT },
  "POST /api/auth/signin/{provider}": { statuses: ABSENT },
  "GET /api/auth/callback/{provider}": { statuses: ABSENT },
  "POST /api/auth/password": {
    statuses: "401 401 401 401 401 403 403 401 401 401 403",
    body: () => ({ current: "not the password", next: PASSWORD }),
  },
  "POST /api/auth/password/forgot": {
    statuses: SIGN_IN,
    body: () => ({ email: `${randomUUID()}@example.com` }),
  },
  "POST /api/auth/password/reset": {
    statuses: "400 401 400 400 400 403 403 400 401 400 403",
    body: () => ({ token: "unknown", password: PASSWORD }),
  },
  "GET /api/auth/sessions": { statuses: ACCOUNT },
  "DELETE /api/auth/sessions/{sessionId}": { statuses: "401 401 404 404 404 403 403 404 401 404 403" },
  "GET /api/me/preferences": { statuses: ACCOUNT },
  "PUT /api/me/preferences": { statuses: ACCOUNT, body: () => ({ theme: "dark" }) },
  "GET /api/auth/me": { statuses: ACCOUNT },
  "GET /api/workspaces": { statuses: "401 401 200 200 200 200 200 200 401 200 200" },
  "POST /api/workspaces": {
    statuses: "401 401 201 201 201 403 403 201 401 201 403",
    body: () => ({ name: "Harbour" }),
  },
  "GET /api/workspaces/{workspaceId}": { statuses: MEMBER },
  "GET /api/workspaces/{workspaceId}/events": { statuses: MEMBER },
  "GET /api/workspaces/{workspaceId}/connectors": { statuses: MEMBER },
  "GET /api/workspaces/{workspaceId}/connectors/{connectionId}": { statuses: MEMBER },
  "GET /api/workspaces/{workspaceId}/connectors/{connectionId}/entities": { statuses: MEMBER },
  "GET /api/connectors/types": { statuses: "401 401 200 200 200 200 200 200 401 200 200" },
  "POST /api/workspaces/{workspaceId}/connectors": {
    statuses: "401 401 201 201 201 201 201 403 401 403 403",
    body: () => ({ name: "Copy", type: "duckdb", config: { file: "copy.duckdb" }, readOnly: false }),
  },
  // The sample belongs to its maker, the owner; any member may change what they have added themselves.
  "PATCH /api/workspaces/{workspaceId}/connectors/{connectionId}": {
    statuses: "401 401 403 200 200 200 403 403 401 403 403",
    body: () => ({ name: "Sample" }),
  },
  "POST /api/workspaces/{workspaceId}/connectors/test": {
    statuses: MEMBER,
    body: () => ({ type: "duckdb", config: { file: "copy.duckdb" } }),
  },
  "POST /api/workspaces/{workspaceId}/connections/sources/{connectionId}/test": { statuses: MEMBER },
  "DELETE /api/workspaces/{workspaceId}/connections/sources/{connectionId}": {
    // The first who may, does; for the others it is gone.
    statuses: "401 401 403 200 404 404 404 403 401 403 403",
    ids: () => ({ connectionId: world.spareConnectionId }),
  },
  "GET /api/workspaces/{workspaceId}/files": { statuses: MEMBER },
  "POST /api/workspaces/{workspaceId}/files": {
    statuses: "401 401 201 201 201 201 201 403 401 403 403",
    query: () => `?name=${randomUUID()}.duckdb`,
  },
  "DELETE /api/workspaces/{workspaceId}/files/{file}": { statuses: "401 401 404 404 404 404 404 403 401 403 403" },
  "POST /api/workspaces/{workspaceId}/databases/{connectionId}/execute": {
    statuses: MEMBER,
    body: () => ({ query: "select 1 as one" }),
  },
  "POST /api/execute": { statuses: MEMBER, body: () => ({ ...connection(), workspaceId: world.workspaceId }) },
  "GET /api/workspaces/{workspaceId}/executions": { statuses: MEMBER },
  // Here of nobody; who sees whose is in lib/query/history-rights.int.test.ts.
  "GET /api/workspaces/{workspaceId}/executions/{executionId}": {
    statuses: "401 401 404 404 404 404 404 403 401 403 403",
  },
  "POST /api/workspaces/{workspaceId}/executions/{executionId}/cancel": {
    statuses: "401 401 404 404 404 404 404 403 401 403 403",
  },
  "GET /api/workspaces/{workspaceId}/consoles": { statuses: MEMBER },
  "POST /api/workspaces/{workspaceId}/consoles": {
    statuses: CREATED_BY_MEMBER,
    body: () => ({ name: randomUUID(), content: "select 1" }),
  },
  "GET /api/workspaces/{workspaceId}/consoles/search": { statuses: MEMBER, query: () => "?q=select" },
  "GET /api/workspaces/{workspaceId}/consoles/folders": { statuses: MEMBER },
  "POST /api/workspaces/{workspaceId}/consoles/folders": {
    statuses: CREATED_BY_MEMBER,
    body: () => ({ name: randomUUID() }),
  },
  "PATCH /api/workspaces/{workspaceId}/consoles/folders/{folderId}": {
    statuses: MEMBER,
    body: () => ({ name: randomUUID() }),
  },
  "DELETE /api/workspaces/{workspaceId}/consoles/folders/{folderId}": {
    statuses: FIRST_MEMBER,
    ids: () => ({ folderId: world.spareFolderId }),
  },
  "GET /api/workspaces/{workspaceId}/consoles/{consoleId}": { statuses: MEMBER },
  // All have seen the first version: the first one to save it wins.
  "PUT /api/workspaces/{workspaceId}/consoles/{consoleId}": {
    statuses: "401 401 200 409 409 409 409 403 401 403 403",
    body: () => ({ version: 1, content: "select 2" }),
  },
  "DELETE /api/workspaces/{workspaceId}/consoles/{consoleId}": {
    statuses: FIRST_MEMBER,
    ids: () => ({ consoleId: world.spareConsoleId }),
  },
  "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/restore": {
    statuses: FIRST_MEMBER,
    body: () => ({ folderId: null }),
    ids: () => ({ consoleId: world.deletedConsoleId }),
  },
  "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/duplicate": { statuses: CREATED_BY_MEMBER },
  "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/execute": { statuses: MEMBER, body: () => ({ limit: 1 }) },
  "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/draft": { statuses: MEMBER },
  "PUT /api/workspaces/{workspaceId}/consoles/{consoleId}/draft": {
    statuses: MEMBER,
    body: () => ({ content: "select" }),
  },
  "DELETE /api/workspaces/{workspaceId}/consoles/{consoleId}/draft": { statuses: MEMBER },
  "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/git/history": { statuses: MEMBER },
  "GET /api/workspaces/{workspaceId}/consoles/{consoleId}/git/commit": {
    statuses: MEMBER,
    query: () => `?sha=${world.sha}`,
  },
  "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/git/restore": {
    statuses: MEMBER,
    body: () => ({ sha: world.sha }),
  },
  "PATCH /api/workspaces/{workspaceId}": { statuses: ADMIN, body: () => ({ name: "Renamed" }) },
  // The last owner cannot be made less, so the call is safe to repeat; an admin may not touch an owner at all.
  "PUT /api/workspaces/{workspaceId}/members/{userId}": {
    statuses: "401 401 403 403 409 403 403 403 401 403 403",
    body: () => ({ role: "member" }),
  },
  "DELETE /api/workspaces/{workspaceId}/members/{userId}": { statuses: "401 401 403 403 409 403 403 403 401 403 403" },
  "GET /api/workspaces/{workspaceId}/invites": { statuses: ADMIN_IN_PERSON },
  "POST /api/workspaces/{workspaceId}/invites": {
    statuses: "401 401 403 201 201 403 403 403 401 403 403",
    body: () => ({ email: "new@example.com", role: "member" }),
  },
  "DELETE /api/workspaces/{workspaceId}/invites/{inviteId}": {
    statuses: "401 401 403 404 404 403 403 403 401 403 403",
  },
  "GET /api/invites/{token}": { statuses: ABSENT },
  "POST /api/invites/{token}/accept": { statuses: "401 401 404 404 404 403 403 404 401 404 403" },
  "GET /api/workspaces/{workspaceId}/api-keys": { statuses: ADMIN_IN_PERSON },
  "POST /api/workspaces/{workspaceId}/api-keys": {
    statuses: "401 401 403 201 201 403 403 403 401 403 403",
    body: () => ({ name: "Nightly report" }),
  },
  "DELETE /api/workspaces/{workspaceId}/api-keys/{keyId}": { statuses: "401 401 403 404 404 403 403 403 401 403 403" },
  "GET /api/workspaces/{workspaceId}/outbox": { statuses: ADMIN_IN_PERSON },
  // Asked of a third workspace by all, so that W1 and W2 stay: only its own owner may, in person.
  "DELETE /api/workspaces/{workspaceId}": {
    statuses: "401 401 403 403 403 403 403 403 401 200 403",
    ids: () => ({ workspaceId: world.spareWorkspaceId }),
  },
  // It ends the others of the same person only, and each principal here is another person.
  "DELETE /api/auth/sessions": { statuses: ACCOUNT },
  // Last: they end the sessions that the others use.
  "POST /api/auth/login": {
    statuses: SIGN_IN,
    body: () => ({ email: world.people.owner.email, password: PASSWORD }),
  },
  "POST /api/auth/logout": { statuses: SIGN_IN },
});

const endpoints = listEndpoints(routeModules).map(({ method, path, definition }) => ({
  name: `${method} ${path}`,
  method,
  path,
  definition,
}));
const own = takeOwnDatabase();
let world: World & {
  consoleId: string;
  otherConsoleId: string;
  spareConsoleId: string;
  deletedConsoleId: string;
  folderId: string;
  otherFolderId: string;
  spareFolderId: string;
  sha: string;
  connectionId: string;
  otherConnectionId: string;
  spareWorkspaceId: string;
  spareConnectionId: string;
};

beforeAll(async () => {
  const seeded = await seedWorld();
  const sampleOf = async (workspaceId: string, cookie: string) =>
    (await call("GET", `/api/workspaces/${workspaceId}/connectors`, { cookie })).json.data[0].id as string;
  const { cookie } = seeded.people.stranger;
  const spare = await call("POST", "/api/workspaces", { cookie, body: { name: "Spare" } });
  if (spare.status !== 201) throw new Error(spare.text);
  const spareConnection = await call("POST", `/api/workspaces/${seeded.workspaceId}/connectors`, {
    cookie: seeded.people.owner.cookie,
    body: { name: "Spare", type: "duckdb", config: { file: "spare.duckdb" }, readOnly: false },
  });
  const connectionId = await sampleOf(seeded.workspaceId, seeded.people.owner.cookie);
  const add = async (workspaceId: string, person: { cookie: string }, path: string, body: Record<string, unknown>) => {
    const url = `/api/workspaces/${workspaceId}/consoles${path}`;
    const access = "workspace";
    return (await call("POST", url, { cookie: person.cookie, body: { ...body, access } })).json.data.id as string;
  };
  const { owner, stranger } = seeded.people;
  const addConsole = (name: string) =>
    add(seeded.workspaceId, owner, "", { name, content: "select 1 as one", connectionId });
  const consoleId = await addConsole("shared");
  const deletedConsoleId = await addConsole("deleted");
  const consoles = `/api/workspaces/${seeded.workspaceId}/consoles`;
  await call("DELETE", `${consoles}/${deletedConsoleId}`, { cookie: owner.cookie });
  const history = await call("GET", `${consoles}/${consoleId}/git/history`, { cookie: owner.cookie });
  world = {
    ...seeded,
    consoleId,
    otherConsoleId: await add(seeded.otherWorkspaceId, stranger, "", { name: "theirs", content: "select 1" }),
    spareConsoleId: await addConsole("spare"),
    deletedConsoleId,
    folderId: await add(seeded.workspaceId, owner, "/folders", { name: "folder" }),
    otherFolderId: await add(seeded.otherWorkspaceId, stranger, "/folders", { name: "theirs" }),
    spareFolderId: await add(seeded.workspaceId, owner, "/folders", { name: "spare" }),
    sha: history.json.data.items[0].sha,
    spareWorkspaceId: spare.json.data.id,
    spareConnectionId: spareConnection.json.data.id,
    connectionId,
    otherConnectionId: await sampleOf(seeded.otherWorkspaceId, seeded.people.stranger.cookie),
  };
});
afterAll(() => own.drop());

/** The path with ids of W1 in it; `ids` replaces some of them. */
function pathOf(pattern: string, ids: Record<string, string> = {}): string {
  const known: Record<string, string> = {
    workspaceId: world.workspaceId,
    connectionId: world.connectionId,
    consoleId: world.consoleId,
    folderId: world.folderId,
    userId: world.people.owner.id,
    provider: "github",
    file: "absent.duckdb",
    executionId: randomUUID(),
    ...Object.fromEntries(["sessionId", "inviteId", "keyId"].map((name) => [name, "f".repeat(24)])),
    token: "x".repeat(43),
    ...ids,
  };
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = known[name];
    if (id === undefined) throw new Error(`Say which ${name} the access matrix should use.`);
    return id;
  });
}

/** Fields that no route takes from a body, with values that can be found again. */
const FORGED = {
  _id: "f0f0f0f0f0f0f0f0f0f0f0f1",
  createdBy: "f0f0f0f0f0f0f0f0f0f0f0f2",
  invitedBy: "f0f0f0f0f0f0f0f0f0f0f0f3",
  workspaceId: "f0f0f0f0f0f0f0f0f0f0f0f4",
  secretHash: "forged-secret-hash",
  passwordHash: "forged-password-hash",
  emailVerified: "forged-verification",
  deletedAt: "forged-deletion",
};

/** What a route does take wins. */
function withForgedFields(body: unknown): unknown {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...FORGED, ...body } : body;
}

describe("every route × every principal (T24)", () => {
  it("has a row for each route that the registry knows, and no other", () => {
    expect(Object.keys(rows()).sort()).toEqual(endpoints.map(({ name }) => name).sort());
  });

  it.each(Object.keys(rows()))("%s", async (name) => {
    const row = rows()[name] as Row;
    const [method = "", pattern = ""] = name.split(" ");
    const statuses: number[] = [];
    for (const principal of PRINCIPALS) {
      const answer = await call(method, pathOf(pattern, row.ids?.()) + (row.query?.() ?? ""), {
        ...world.callers[principal],
        body: withForgedFields(row.body?.()),
      });
      statuses.push(answer.status);
    }
    const named = (values: (string | number)[]) =>
      Object.fromEntries(PRINCIPALS.map((who, i) => [who, Number(values[i])]));
    expect(named(statuses)).toEqual(named(row.statuses.split(" ")));
  });

  it("and none of them stored what a body added of its own (T29)", async () => {
    const dump = await dumpDatabase();
    expect(Object.values(FORGED).filter((value) => dump.includes(value))).toEqual([]);
  });
});

const withIds = endpoints.filter(({ path, definition }) => path.includes("{") && definition.access.scope !== "open");
const inWorkspace = endpoints.filter(({ path }) => path.includes("{workspaceId}"));
const foreignIds = (): Record<string, string> => ({
  connectionId: world.otherConnectionId,
  consoleId: world.otherConsoleId,
  folderId: world.otherFolderId,
});
const nested = inWorkspace.flatMap((endpoint) => {
  const [, param] = /\{(connectionId|consoleId|folderId)\}/.exec(endpoint.path) ?? [];
  return param ? [{ ...endpoint, param }] : [];
});
const writes = endpoints.filter(({ method }) => method !== "GET");
const withBody = endpoints.filter(({ definition }) => definition.body);

/** Fresh sessions: the matrix above has signed everybody out. */
async function ownerCookie(): Promise<string> {
  const answer = await call("POST", "/api/auth/login", {
    body: { email: world.people.owner.email, password: PASSWORD },
  });
  return (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
}

describe("ids in the path", () => {
  it.each(withIds)("$name answers 400 to malformed ids, once the caller is known", async ({ method, path, name }) => {
    const malformed = path.replace(/\{\w+\}/g, "zz");
    expect((await call(method, malformed)).status).toBe(401);
    const answer = await call(method, malformed, { cookie: await ownerCookie(), body: rows()[name]?.body?.() });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  });

  it.each(inWorkspace)(
    "$name tells a foreign workspace from a missing one by nothing",
    async ({ method, path, name }) => {
      const cookie = await ownerCookie();
      const ask = (workspaceId: string) =>
        call(method, pathOf(path, { workspaceId }), { cookie, body: rows()[name]?.body?.() });
      const foreign = await ask(world.otherWorkspaceId);
      const missing = await ask("f".repeat(24));
      expect(foreign.status).toBe(403);
      expect(foreign.text).toBe(missing.text);
    },
  );

  it.each(nested)(
    "$name tells another workspace's id from a missing one by nothing (T25)",
    async ({ method, path, name, param }) => {
      const cookie = await ownerCookie();
      const ask = (id: string | undefined) =>
        call(method, pathOf(path, { [param]: id ?? "" }) + (rows()[name]?.query?.() ?? ""), {
          cookie,
          body: rows()[name]?.body?.(),
        });
      const foreign = await ask(foreignIds()[param]);
      const missing = await ask("f".repeat(24));
      expect(foreign.status).toBe(404);
      expect(foreign.text).toBe(missing.text);
    },
  );
});

const paged = endpoints.filter(
  ({ definition }) => definition.query?.safeParse({ cursor: "x".repeat(501) }).success === false,
);

describe("cursors", () => {
  it.each(paged)(
    "$name answers 400 to a bad one, also where what the path names is absent",
    async ({ method, path }) => {
      const cookie = await ownerCookie();
      const absent = { consoleId: "f".repeat(24) };
      for (const cursor of [
        "",
        "x",
        "%00",
        "f".repeat(23),
        "x.y",
        `${"f".repeat(24)}.${"f".repeat(24)}`,
        "a".repeat(501),
      ]) {
        const answer = await call(method, `${pathOf(path, absent)}?cursor=${cursor}`, { cookie });
        expect([cursor, answer.status, answer.json.code]).toEqual([cursor, 400, "invalid_request"]);
      }
    },
  );
});

describe("writes from elsewhere (T13, T14)", () => {
  it.each(writes)("$name refuses another site's request and sets no cookie", async ({ method, path, name }) => {
    const cookie = await ownerCookie();
    const body = rows()[name]?.body?.();
    const foreign: Record<string, string>[] = [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }];
    for (const headers of foreign) {
      const answer = await call(method, pathOf(path), { cookie, body, headers });
      expect([answer.status, answer.json.code]).toEqual([403, "forbidden"]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  it.each(withBody)("$name refuses a body that a form could send", async ({ method, path, name }) => {
    const answer = await call(method, pathOf(path), {
      cookie: await ownerCookie(),
      body: rows()[name]?.body?.(),
      headers: { "content-type": "text/plain" },
    });
    expect([answer.status, answer.json.code]).toEqual([415, "unsupported_media_type"]);
  });
});

describe("bodies (T29, T56, T104)", () => {
  it.each(withBody)("$name answers 413 to 1.1 MB, announced or not", async ({ method, path }) => {
    const cookie = await ownerCookie();
    const big = JSON.stringify("x".repeat(1_153_434));
    expect((await call(method, pathOf(path), { cookie, rawBody: big })).status).toBe(413);
    const chunked = new Blob([big]).stream();
    expect((await call(method, pathOf(path), { cookie, rawBody: chunked })).status).toBe(413);
  });

  it.each(withBody)(
    "$name answers 400 to malformed JSON, to none and to wrong types",
    async ({ method, path, name, definition }) => {
      const cookie = await ownerCookie();
      const good = rows()[name]?.body?.() as Record<string, unknown>;
      const wrong = Object.fromEntries(Object.keys(good).map((field) => [field, { $ne: null, deep: [1] }]));
      for (const options of [
        { rawBody: "{" },
        { rawBody: "[]" },
        { rawBody: '"text"' },
        { rawBody: "null" },
        // Some take no body for one without fields.
        ...(definition.body?.safeParse(undefined).success ? [] : [{}]),
        { body: { ...wrong, query: 7 } },
      ]) {
        const answer = await call(method, pathOf(path), { cookie, ...options });
        expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
        expect(answer.json.details.length).toBeGreaterThan(0);
      }
    },
  );
});

describe("verbs", () => {
  const ALL = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  it.each(routeModules.filter(({ path }) => !path.endsWith("...}")))(
    "$path answers 405 with Allow to the verbs it lacks",
    async ({ path }) => {
      const has = endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method as string);
      for (const verb of ALL.filter((candidate) => !has.includes(candidate))) {
        const answer = await call(verb, pathOf(path));
        expect([verb, answer.status, answer.json.code]).toEqual([verb, 405, "method_not_allowed"]);
        expect(answer.headers.get("allow")).toBe([...has, ...(has.includes("GET") ? ["HEAD"] : [])].join(", "));
      }
    },
  );

  it("HEAD is GET without the body", async () => {
    const answer = await call("HEAD", "/api/auth/me");
    expect([answer.status, answer.text]).toEqual([401, ""]);
  });

  it("an unknown path is 404 in JSON for every verb", async () => {
    for (const verb of ALL) {
      const answer = await call(verb, "/api/nothing/here");
      expect([answer.status, answer.json.code, answer.json.success]).toEqual([404, "not_found", false]);
    }
  });
});
