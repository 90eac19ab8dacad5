import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routeModules } from "@/.generated/routes";
import { BODY_LIMITS } from "@/lib/platform/http/body";
import { authAccess } from "@/test/fixtures/accounts/access-rows";
import { inviteAccess } from "@/test/fixtures/accounts/invites/access-rows";
import { preferenceAccess } from "@/test/fixtures/accounts/preferences/access-rows";
import { agentAccess } from "@/test/fixtures/agent/access-rows";
import { referenceAccess } from "@/test/fixtures/api/access-rows";
import { appAccess } from "@/test/fixtures/apps/access-rows";
import { connectionAccess } from "@/test/fixtures/connections/access-rows";
import { fileAccess } from "@/test/fixtures/connections/files/access-rows";
import { consoleAccess } from "@/test/fixtures/consoles/access-rows";
import { dashboardAccess } from "@/test/fixtures/dashboards/access-rows";
import { eventAccess } from "@/test/fixtures/events/access-rows";
import { flowAccess } from "@/test/fixtures/flows/access-rows";
import { lifecycleAccess } from "@/test/fixtures/instance/access-rows";
import { jobAccess } from "@/test/fixtures/jobs/access-rows";
import { mailAccess } from "@/test/fixtures/mail/access-rows";
import { metricAccess } from "@/test/fixtures/metrics/access-rows";
import { notificationAccess } from "@/test/fixtures/notifications/access-rows";
import { queryAccess } from "@/test/fixtures/query/access-rows";
import { repohostAccess } from "@/test/fixtures/repository/hosts/access-rows";
import { reviewAccess } from "@/test/fixtures/reviews/access-rows";
import { workspaceAccess } from "@/test/fixtures/workspaces/access-rows";
import type { AccessRows, Row } from "./access-rows";
import { call } from "./client";
import { takeOwnDatabase } from "./database";
import { dumpDatabase } from "./security/dump";
import { endpoints, pathWith } from "./security/routes";
import { PASSWORD, PRINCIPALS, seedKey, seedWorld, type World } from "./seed";

/** The domains with routes, with the rows in their folders. A route without a row fails here. */
const DOMAINS: AccessRows[] = [
  lifecycleAccess,
  jobAccess,
  referenceAccess,
  preferenceAccess,
  workspaceAccess,
  connectionAccess,
  fileAccess,
  queryAccess,
  consoleAccess,
  dashboardAccess,
  metricAccess,
  reviewAccess,
  appAccess,
  repohostAccess,
  flowAccess,
  inviteAccess,
  notificationAccess,
  eventAccess,
  agentAccess,
  mailAccess,
  // Last: it ends the sessions that the others use.
  authAccess,
];
const declared: [string, Row][] = DOMAINS.flatMap(({ rows }) => Object.entries(rows));
const rows = new Map(declared);
const OWN_IDS = Object.assign({}, ...DOMAINS.map(({ ids }) => ids)) as Ids;
const FOREIGN_IDS = Object.assign({}, ...DOMAINS.map(({ foreignIds }) => foreignIds)) as Ids;
type Ids = NonNullable<AccessRows["ids"]>;

const own = takeOwnDatabase();
let world: World;
beforeAll(async () => {
  world = await seedWorld();
  for (const { seed } of DOMAINS) await seed?.(world);
});
afterAll(() => own.drop());

/** Returns the path with ids of W1; `ids` replaces some of them. */
function pathOf(pattern: string, ids: Record<string, string> = {}): string {
  const known = Object.entries(OWN_IDS).map(([name, idOf]) => [name, idOf(world)]);
  return pathWith(pattern, { workspaceId: world.workspaceId, ...Object.fromEntries(known), ...ids });
}

/** Returns the query of a row's valid request; `bodyOf` returns its body. */
const queryOf = (name: string): string => rows.get(name)?.query?.(world) ?? "";
const bodyOf = (name: string): unknown => rows.get(name)?.body?.(world);

/** Fields that no route accepts in a body, with recognisable values. */
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

/** Adds forged fields to a body; the route's own fields win. */
function withForgedFields(body: unknown): unknown {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? { ...FORGED, ...body } : body;
}

describe("every route × every principal (T24)", () => {
  it("has a row for each registered route, and no other", () => {
    expect(declared.map(([name]) => name).sort()).toEqual(endpoints.map(({ name }) => name).sort());
  });

  it.each(declared)("%s", async (name, row) => {
    const [method = "", pattern = ""] = name.split(" ");
    const statuses: number[] = [];
    for (const principal of PRINCIPALS) {
      const answer = await call(method, pathOf(pattern, row.ids?.(world)) + queryOf(name), {
        ...world.callers[principal],
        ...(row.headers && { headers: row.headers }),
        body: withForgedFields(bodyOf(name)),
      });
      statuses.push(answer.status);
    }
    const named = (values: (string | number)[]) =>
      Object.fromEntries(PRINCIPALS.map((who, i) => [who, Number(values[i])]));
    expect(named(statuses)).toEqual(named(row.statuses.split(" ")));
  });

  it("stores none of the extra fields of a body (T29)", async () => {
    const dump = await dumpDatabase();
    expect(Object.values(FORGED).filter((value) => dump.includes(value))).toEqual([]);
  });
});

const withIds = endpoints.filter(({ path, definition }) => path.includes("{") && definition.access.scope !== "open");
const inWorkspace = endpoints.filter(({ path }) => path.includes("{workspaceId}"));
const nested = inWorkspace.flatMap((endpoint) => {
  const param = Object.keys(FOREIGN_IDS).find((name) => endpoint.path.includes(`{${name}}`));
  return param ? [{ ...endpoint, param }] : [];
});
/**
 * Routes whose requests prove their sender by a signature or a key. They read no cookie, so they need no guard against
 * other sites.
 */
const SIGNED = [
  "/api/inngest",
  "/api/webhooks/{token}",
  "/api/repohost/webhook",
  "/api/mcp",
  "/api/oauth/register",
  "/api/oauth/token",
  "/api/oauth/revoke",
];
/** Requested by an app's page from an opaque origin, and authorised by its URL: no cookie is read. */
const BY_ADDRESS = ["/api/apps/dev/{capability}/{path...}"];
const writes = endpoints.filter(({ method, path }) => method !== "GET" && ![...SIGNED, ...BY_ADDRESS].includes(path));
const withBody = endpoints.filter(({ definition }) => definition.body);

let ownerSession: Promise<string> | null = null;
/** Returns a session for all tests below: the matrix above signed everyone out, and each sign-in hashes a password. */
function ownerCookie(): Promise<string> {
  ownerSession ??= call("POST", "/api/auth/login", {
    body: { email: world.people.owner.email, password: PASSWORD },
  }).then((answer) => (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "");
  return ownerSession;
}

describe("read-only keys", () => {
  /** Routes that change nothing although they are not GET. */
  const READS = [
    "POST /api/execute",
    "POST /api/mcp",
    "POST /api/share/{token}/data",
    "POST /api/share/{token}/filters/{filterId}/values",
    "POST /api/share/{token}/view-token",
    "POST /api/share/{token}/widgets/{widgetId}/cube",
    "POST /api/workspaces/{workspaceId}/apps/{appId}/view-token",
    "POST /api/workspaces/{workspaceId}/connections/sources/{connectionId}/test",
    "POST /api/workspaces/{workspaceId}/connectors/test",
    "POST /api/workspaces/{workspaceId}/consoles/{consoleId}/execute",
    "POST /api/workspaces/{workspaceId}/dashboards/preview",
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/data",
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/filters/{filterId}/values",
    "POST /api/workspaces/{workspaceId}/dashboards/{dashboardId}/widgets/{widgetId}/cube",
    "POST /api/workspaces/{workspaceId}/databases/{connectionId}/execute",
    "POST /api/workspaces/{workspaceId}/databases/{connectionId}/question",
    "POST /api/workspaces/{workspaceId}/databases/{connectionId}/rows",
    "POST /api/workspaces/{workspaceId}/databases/{connectionId}/rows/count",
    "POST /api/workspaces/{workspaceId}/executions/{executionId}/cancel",
    "POST /api/workspaces/{workspaceId}/metrics/query",
    "POST /api/workspaces/{workspaceId}/reviews/{reviewName}/compare",
  ];
  let key = "";
  beforeAll(async () => {
    key = await seedKey(world.workspaceId, world.people.owner, "read");
  });

  it("are rejected by every write except these", () => {
    const reads = endpoints.filter(({ definition }) => definition.isRead).map(({ name }) => name);
    expect(reads.sort()).toEqual(READS);
  });

  const closed = endpoints.filter(
    ({ method, name, definition }) => method !== "GET" && definition.access.scope !== "open" && !READS.includes(name),
  );
  it.each(closed)("$name: 403, whoever created it", async ({ method, path, name }) => {
    const answer = await call(method, pathOf(path, rows.get(name)?.ids?.(world)), { key, body: bodyOf(name) });
    expect([answer.status, answer.json.code]).toEqual([403, "forbidden"]);
  });

  const open = endpoints.filter(({ method, name }) => method === "GET" || READS.includes(name));
  it.each(open)("$name: as a full key of the same creator", async ({ method, path, name }) => {
    const ask = async (own: string) => {
      const url = pathOf(path, rows.get(name)?.ids?.(world)) + queryOf(name);
      const { headers = {} } = rows.get(name) ?? {};
      return (await call(method, url, { key: own, headers, body: bodyOf(name) })).status;
    };
    expect(await ask(key)).toBe(await ask(world.callers.ownerKey.key ?? ""));
  });
});

describe("IDs in the path", () => {
  it.each(withIds)("$name returns 400 for malformed IDs of a known caller", async ({ method, path, name }) => {
    const malformed = path.replace(/\{\w+\}/g, "zz");
    expect((await call(method, malformed)).status).toBe(401);
    const answer = await call(method, malformed, { cookie: await ownerCookie(), body: bodyOf(name) });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  });

  it.each(inWorkspace)("$name does not reveal whether a foreign workspace exists", async ({ method, path, name }) => {
    const cookie = await ownerCookie();
    const ask = (workspaceId: string) => call(method, pathOf(path, { workspaceId }), { cookie, body: bodyOf(name) });
    const foreign = await ask(world.otherWorkspaceId);
    const missing = await ask("f".repeat(24));
    expect(foreign.status).toBe(403);
    expect(foreign.text).toBe(missing.text);
  });

  it.each(nested)(
    "$name does not reveal whether another workspace's ID exists (T25)",
    async ({ method, path, name, param }) => {
      const cookie = await ownerCookie();
      const ask = (id = "") =>
        call(method, pathOf(path, { [param]: id }) + queryOf(name), {
          cookie,
          body: bodyOf(name),
        });
      const foreign = await ask(FOREIGN_IDS[param]?.(world));
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
  it.each(paged)("$name returns 400 for an invalid one, even if the resource is absent", async ({ method, path }) => {
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
  });
});

describe("cross-site writes (T13, T14)", () => {
  it.each(writes)("$name rejects another site's request and sets no cookie", async ({ method, path, name }) => {
    const cookie = await ownerCookie();
    const body = bodyOf(name);
    const foreign: Record<string, string>[] = [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }];
    for (const headers of foreign) {
      const answer = await call(method, pathOf(path), { cookie, body, headers });
      expect([answer.status, answer.json.code]).toEqual([403, "forbidden"]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  it.each(withBody)("$name rejects a body that a form could send", async ({ method, path, name }) => {
    const answer = await call(method, pathOf(path), {
      cookie: await ownerCookie(),
      body: bodyOf(name),
      headers: { "content-type": "text/plain" },
    });
    expect([answer.status, answer.json.code]).toEqual([415, "unsupported_media_type"]);
  });
});

describe("bodies (T29, T56, T104)", () => {
  it.each(withBody)("$name returns 413 for ten per cent over the limit, announced or not", async (endpoint) => {
    const { method, path, definition } = endpoint;
    const cookie = await ownerCookie();
    const big = JSON.stringify(
      "x".repeat(1.1 * Math.max(BODY_LIMITS.json, BODY_LIMITS[definition.bodyLimit ?? "json"])),
    );
    expect((await call(method, pathOf(path), { cookie, rawBody: big })).status).toBe(413);
    const chunked = new Blob([big]).stream();
    expect((await call(method, pathOf(path), { cookie, rawBody: chunked })).status).toBe(413);
  });

  it.each(withBody)(
    "$name returns 400 for malformed JSON, no body and wrong types",
    async ({ method, path, name, definition }) => {
      const cookie = await ownerCookie();
      const good = bodyOf(name) as Record<string, unknown>;
      const wrong = Object.fromEntries(Object.keys(good).map((field) => [field, { $ne: null, deep: [1] }]));
      for (const options of [
        { rawBody: "{" },
        { rawBody: "[]" },
        { rawBody: '"text"' },
        { rawBody: "null" },
        // Some routes accept a missing body instead of an empty object.
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

  it("treats HEAD as GET without the body", async () => {
    const answer = await call("HEAD", "/api/auth/me");
    expect([answer.status, answer.text]).toEqual([401, ""]);
  });

  it("returns 404 in JSON for an unknown path with every verb", async () => {
    for (const verb of ALL) {
      const answer = await call(verb, "/api/nothing/here");
      expect([answer.status, answer.json.code, answer.json.success]).toEqual([404, "not_found", false]);
    }
  });
});
