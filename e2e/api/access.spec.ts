import { fill, listedRoutes, needsCredentials } from "./documented-routes";
import { expect, expectError, expectOk, join, NO_SUCH_ID, newConnection, newKey, test } from "./fixtures";

test.describe("access control", () => {
  test("returns 401 on every guarded route without credentials, for any IDs and body", async ({ anyone, reader }) => {
    const wrong: string[] = [];
    for (const route of (await listedRoutes(anyone)).filter(needsCredentials)) {
      for (const path of [fill(route.path, reader.workspaceId), fill(route.path, "malformed", "malformed")]) {
        for (const ask of [{}, { body: "{", headers: { "content-type": "application/json" } }]) {
          const answer = await anyone.send(route.method, path, route.method === "GET" ? {} : ask);
          if (answer.status !== 401 || answer.json.code !== "unauthenticated") {
            wrong.push(`${route.method} ${path}: ${answer.status} ${answer.text.slice(0, 100)}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test("returns 400 invalid_request for a malformed ID, a workspace's too, before checking access", async ({
    anyone,
    owner,
    stranger,
  }) => {
    const wrong: string[] = [];
    const malformed = [
      "abc",
      `${NO_SUCH_ID}0`,
      NO_SUCH_ID.slice(1),
      "z".repeat(24),
      "%20",
      "0123456789abcdef0123456%37%37",
    ];
    for (const route of (await listedRoutes(anyone)).filter(needsCredentials)) {
      if (!route.path.includes("{workspaceId}")) continue;
      for (const id of malformed) {
        const answer = await owner.api.send(route.method, fill(route.path, id));
        if (answer.status !== 400 || answer.json.code !== "invalid_request") {
          wrong.push(`${route.method} ${fill(route.path, id)}: ${answer.status} ${answer.text.slice(0, 100)}`);
        }
      }
      // An app can be named by its slug; a binding, a metric file, a review and a table by their names. A file's path is
      // not an id.
      if (
        /\{(?!workspaceId|file|path|token|executionId|appId|bindingName|metricName|reviewName|table)\w+\}/.test(
          route.path,
        )
      ) {
        const path = fill(route.path, stranger.workspaceId, "abc");
        const answer = await owner.api.send(route.method, path);
        if (answer.status !== 400) wrong.push(`${route.method} ${path}, a stranger's: ${answer.status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("returns the same 403 for another workspace, existing or not, on every route", async ({
    anyone,
    owner,
    stranger,
  }) => {
    const bodies = new Set<string>();
    const wrong: string[] = [];
    const key = await newKey(owner);
    for (const route of (await listedRoutes(anyone)).filter(needsCredentials)) {
      if (!route.path.includes("{workspaceId}")) continue;
      for (const workspaceId of [stranger.workspaceId, NO_SUCH_ID]) {
        for (const api of [owner.api, key.api]) {
          // No body and an invalid limit: neither may be checked first.
          const answer = await api.send(route.method, `${fill(route.path, workspaceId)}?limit=bad&cursor=bad`);
          if (answer.status === 403) bodies.add(answer.text);
          else wrong.push(`${route.method} ${route.path}: ${answer.status} ${answer.text.slice(0, 100)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    // Each reason to refuse a key has a distinct message, also for another workspace's key; a session has one message.
    const sessionBodies = new Set<string>();
    for (const workspaceId of [stranger.workspaceId, NO_SUCH_ID]) {
      for (const path of ["", "/connectors", "/api-keys", "/executions", `/connectors/${NO_SUCH_ID}`, "/outbox"]) {
        sessionBodies.add((await owner.api.get(`/api/workspaces/${workspaceId}${path}`)).text);
      }
    }
    expect([...sessionBodies]).toHaveLength(1);
  });

  test("returns the 404 of an absent record for a nested ID of another workspace, and keeps the record", async ({
    owner,
    stranger,
  }) => {
    const theirs = await newConnection(stranger);
    const invited = await stranger.api.post(`${stranger.home}/invites`, { email: "x@example.com", role: "member" });
    const theirKey = await newKey(stranger);
    const cases: [string, string, string, unknown?][] = [
      ["GET", `${owner.home}/connectors/`, theirs],
      ["PATCH", `${owner.home}/connectors/`, theirs, { name: "taken" }],
      ["DELETE", `${owner.home}/connections/sources/`, theirs],
      ["DELETE", `${owner.home}/invites/`, invited.json.data.id],
      ["DELETE", `${owner.home}/api-keys/`, theirKey.id],
      ["PUT", `${owner.home}/members/`, stranger.id, { role: "member" }],
      ["DELETE", `${owner.home}/members/`, stranger.id],
    ];
    const tails: [string, string, string, unknown?][] = [
      ["GET", "connectors", "/entities"],
      ["POST", "connections/sources", "/test"],
      ["POST", "databases", "/execute", { query: "select 1" }],
    ];
    for (const [method, prefix, id, json] of cases) {
      const ask = (each: string) => owner.api.send(method, prefix + each, { json });
      const [foreign, absent] = [await ask(id), await ask(NO_SUCH_ID)];
      expectError(foreign, 404, "not_found");
      expect([absent.status, absent.text]).toEqual([404, foreign.text]);
    }
    for (const [method, folder, tail, json] of tails) {
      const ask = (id: string) => owner.api.send(method, `${owner.home}/${folder}/${id}${tail}`, { json });
      const [foreign, absent] = [await ask(theirs), await ask(NO_SUCH_ID)];
      expectError(foreign, 404, "not_found");
      expect([absent.status, absent.text]).toEqual([404, foreign.text]);
    }
    expect((await stranger.api.get(`${stranger.home}/connectors/${theirs}`)).json.data.name).toBe("a file");
    expect((await stranger.api.get(`${stranger.home}/invites`)).json.data).toHaveLength(1);
    expectOk(await theirKey.api.get(stranger.home));
  });

  test("checks in order: 403 before the body, the body before 404", async ({ owner, stranger }) => {
    const member = await join(owner, "member");
    const badJson = { body: "{", headers: { "content-type": "application/json" } };
    expectError(await stranger.api.post(`${owner.home}/connectors`, undefined, badJson), 403, "forbidden");
    expectError(await stranger.api.post(`${owner.home}/connectors`, undefined, { body: "x" }), 403, "forbidden");
    for (const ask of [badJson, { json: {} }, { json: { role: "emperor" } }]) {
      expectError(await member.api.put(`${owner.home}/members/${owner.id}`, undefined, ask), 403, "forbidden");
      expectError(await member.api.post(`${owner.home}/api-keys`, undefined, ask), 403, "forbidden");
      expectError(await member.api.post(`${owner.home}/invites`, undefined, ask), 403, "forbidden");
    }
    expectError(
      await owner.api.put(`${owner.home}/members/${NO_SUCH_ID}`, { role: "emperor" }),
      400,
      "invalid_request",
    );
    expectError(await owner.api.patch(`${owner.home}/connectors/${NO_SUCH_ID}`, { name: 5 }), 400, "invalid_request");
    expectError(await owner.api.post(`${owner.home}/databases/${NO_SUCH_ID}/execute`, {}), 400, "invalid_request");
    expectError(await owner.api.get(`${owner.home}/executions?limit=x`), 400, "invalid_request");
  });
});
