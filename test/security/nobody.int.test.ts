import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedPerson } from "@/test/seed";
import { digestDatabase } from "./dump";
import { endpoints, pathWith } from "./routes";
import { sampleOf } from "./samples";

process.env.SAMPLE_DATA = "off";
process.env.RATE_LIMIT_SCALE = "100000";
const own = takeOwnDatabase();
afterAll(() => own.drop());

/**
 * Routes with an effect that are open to everyone. All others respond with 401 or 404 without a sign-in, or only read.
 */
const OPEN_WRITES = [
  "POST /api/auth/register",
  "POST /api/auth/login",
  "POST /api/auth/logout",
  "POST /api/auth/password/forgot",
  "POST /api/auth/password/reset",
  "POST /api/auth/signin/{provider}",
  "POST /api/oauth/register",
  "POST /api/oauth/token",
  "POST /api/oauth/revoke",
  "POST /api/apps/dev/{capability}/{path...}",
  "POST /api/webhooks/{token}",
  "POST /api/repohost/webhook",
  "POST /api/share/{token}/unlock",
  "POST /api/share/{token}/view-token",
  "POST /api/share/{token}/data",
  "POST /api/share/{token}/filters/{filterId}/values",
  "POST /api/share/{token}/widgets/{widgetId}/cube",
];
const OPEN_READS = [
  "GET /api/apps/dev/{capability}/{path...}",
  "GET /api/health",
  "GET /api/health/live",
  "GET /api/health/ready",
  "GET /api/openapi.json",
  "GET /api/auth/csrf",
  "GET /api/auth/callback/{provider}",
  "GET /api/invites/{token}",
  "GET /api/share/{token}",
  "GET /api/share/{token}/dashboard",
  "GET /api/share/{token}/data",
  "GET /api/share/{token}/filters/{filterId}/values",
  "GET /api/share/{token}/widgets/{widgetId}/cube",
  "GET /api/share/{token}/og-image",
  "GET /api/snapshots/{token}",
  "GET /api/repohost/callback",
];
/** They check a signature, which no anonymous caller has: 401, like routes that need an account. */
const SIGNED = ["GET /api/apps/view/{token}/{path...}", "GET /api/inngest", "POST /api/inngest", "PUT /api/inngest"];

let owner: Person;
let ids: Record<string, string>;
beforeAll(async () => {
  owner = await seedPerson("Owner");
  await seedKey(owner.workspaceId, owner);
  const invite = await call("POST", `/api/workspaces/${owner.workspaceId}/invites`, {
    cookie: owner.cookie,
    body: { email: "guest@example.com" },
  });
  ids = { workspaceId: owner.workspaceId, userId: owner.id, token: invite.json.data.link.split("/").at(-1) };
});

/** Yields bodies from almost valid to random bytes. */
function* bodiesFor(schema: Parameters<typeof sampleOf>[0] | undefined): Generator<Record<string, unknown>> {
  yield {};
  if (schema) yield { body: sampleOf(schema, owner.email) };
  if (schema) yield { body: sampleOf(schema, owner.workspaceId) };
  yield { body: { workspaceId: owner.workspaceId, email: owner.email, password: "", role: "owner", $where: "1" } };
  yield { body: [] };
  yield { rawBody: "{" };
  yield { rawBody: new Uint8Array([0xff, 0x00, 0xfe]) };
  yield { rawBody: "a=b&c=d", headers: { "content-type": "application/x-www-form-urlencoded" } };
}

const CREDENTIALS: Record<string, string>[] = [
  {},
  { cookie: "auth_session=" },
  { cookie: `auth_session=${"A".repeat(43)}` },
  { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy" },
  { "x-millrace-remote-address": "127.0.0.1", "x-forwarded-for": "127.0.0.1", "x-real-ip": "127.0.0.1" },
];

/** Every run has each body and each credential; the long one has each combination. */
const SHARES = [
  { tags: [], isWhole: false },
  { tags: ["long"], isWhole: true },
];

function* requestsFor(method: string, schema: Parameters<typeof bodiesFor>[0], isWhole: boolean) {
  const bodies = method === "GET" ? [{}] : [...bodiesFor(schema)];
  for (const [at, credential] of CREDENTIALS.entries()) {
    for (const [index, body] of bodies.entries()) {
      if (!isWhole && at > 0 && index !== at % bodies.length) continue;
      yield { ...body, headers: { ...credential, ...(body.headers as Record<string, string> | undefined) } };
    }
  }
}

describe("requests without credentials (T22)", () => {
  it("reach only these endpoints", () => {
    const openToAll = endpoints.filter(({ definition }) => definition.access.scope === "open").map(({ name }) => name);
    expect(openToAll.sort()).toEqual([...OPEN_READS, ...OPEN_WRITES, ...SIGNED].sort());
  });

  /** State after the last endpoint, which the next one finds. */
  let state: Awaited<ReturnType<typeof digestDatabase>> | undefined;
  for (const { tags, isWhole } of SHARES)
    it.each(endpoints.filter(({ name }) => !OPEN_WRITES.includes(name)))(
      "$name changes nothing for them and tells them nothing",
      { tags },
      async ({ method, path, name, definition }) => {
        const before = state ?? (await digestDatabase());
        state = undefined;
        const allowed = OPEN_READS.includes(name) ? [200, 302, 404] : [401];
        for (const options of requestsFor(method, definition.body, isWhole)) {
          const answer = await call(method, pathWith(path, ids), options);
          expect(allowed).toContain(answer.status);
          expect(answer.headers.getSetCookie().filter((line) => line.startsWith("auth_session"))).toEqual([]);
        }
        const after = await digestDatabase();
        expect(after).toEqual(before);
        state = after;
      },
    );

  for (const { tags, isWhole } of SHARES)
    it.each(endpoints.filter(({ name }) => OPEN_WRITES.includes(name)))(
      "$name breaks on nothing that they send, and touches nothing of a workspace",
      { tags },
      async ({ method, path, definition }) => {
        // Collections changed by a registration, and by a forgotten password of the account.
        const made = ["users", "credentials", "sessions", "workspaces", "memberships", "mails", "password_resets"];
        const counted = ["rate_limits", ...made];
        const before = await digestDatabase(counted);
        for (const options of requestsFor(method, definition.body, isWhole)) {
          const answer = await call(method, pathWith(path, ids), options);
          expect(answer.status).toBeLessThan(500);
        }
        expect(await digestDatabase(counted)).toEqual(before);
        expect((await call("GET", "/api/auth/me", { cookie: owner.cookie })).status).toBe(200);
      },
    );
});
