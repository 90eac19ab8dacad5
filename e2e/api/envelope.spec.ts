import { fill, inEnvelope, listedRoutes } from "./documented-routes";
import { expect, expectError, expectInvalid, expectOk, NO_SUCH_ID, test } from "./fixtures";

const VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

test.describe("the response envelope", () => {
  test("returns 404 in JSON for an unknown path below /api, for every verb and caller", async ({ anyone, reader }) => {
    const paths = [
      "/api",
      "/api/nothing",
      "/api/auth",
      "/api/auth/nothing",
      "/api/auth/signout",
      "/api/auth/session",
      "/api/auth/providers",
      "/api/workspaces/nothing/nothing/nothing",
      `${reader.home}/nothing`,
      "/api/health/more",
      "/api/%00",
      "/api/%zz",
      "/api/%ff",
      "/api/a%2fb",
      "/api/constructor",
      "/api/__proto__",
      "/api/openapi.json/x",
      "/api/execute/x",
    ];
    for (const path of paths) {
      for (const method of VERBS) {
        expectError(await anyone.send(method, path), 404, "not_found");
      }
      expectError(await reader.api.get(path), 404, "not_found");
    }
  });

  test("returns 405 in JSON with Allow for a wrong method on every route, OPTIONS too", async ({ anyone }) => {
    const routes = (await listedRoutes(anyone)).filter(inEnvelope);
    const byPath = Map.groupBy(routes, ({ path }) => path);
    const wrong: string[] = [];
    for (const [path, served] of byPath) {
      const right = served.map(({ method }) => method);
      for (const method of [...VERBS, "OPTIONS"].filter((verb) => !right.includes(verb))) {
        const answer = await anyone.send(method, fill(path, NO_SUCH_ID));
        const allowed = (answer.headers.allow ?? "").split(/,\s*/).filter((verb) => verb !== "HEAD");
        if (
          answer.status !== 405 ||
          answer.json.code !== "method_not_allowed" ||
          answer.json.success !== false ||
          allowed.toSorted().join() !== right.toSorted().join()
        ) {
          wrong.push(`${method} ${path}: ${answer.status} Allow: ${answer.headers.allow} ${answer.text.slice(0, 80)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test("returns 405 with Allow for other verbs of health and the OpenAPI page", async ({ anyone }) => {
    for (const path of ["/api/health", "/api/openapi.json"]) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const answer = await anyone.send(method, path);
        expectError(answer, 405, "method_not_allowed");
        expect(answer.headers.allow).toContain("GET");
      }
    }
  });

  test("treats HEAD as GET: same status and headers without a body, and 405 without a GET", async ({
    anyone,
    reader,
  }) => {
    for (const path of ["/api/health", "/api/openapi.json", "/api/auth/me", "/api/workspaces", reader.home]) {
      for (const api of [anyone, reader.api]) {
        const [head, get] = [await api.send("HEAD", path), await api.get(path)];
        expect([path, head.status, head.headers["content-type"]]).toEqual([
          path,
          get.status,
          get.headers["content-type"],
        ]);
        expect(head.bytes.length).toBe(0);
      }
    }
    for (const path of ["/api/auth/login", "/api/execute", "/api/auth/logout"]) {
      const answer = await anyone.send("HEAD", path);
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toContain("POST");
    }
    expect((await anyone.send("HEAD", "/api/nothing")).status).toBe(404);
  });

  test("accepts a trailing slash without a redirect", async ({ anyone, reader }) => {
    for (const path of ["/api/health/", "/api/openapi.json/"]) expect((await anyone.get(path)).status).toBe(200);
    for (const path of ["/api/auth/me/", "/api/workspaces/", `${reader.home}/`, `${reader.home}/executions/?limit=1`]) {
      expectOk(await reader.api.get(path));
    }
    expectOk(await anyone.post("/api/auth/login/", { email: reader.email, password: reader.password }));
    expectError(await anyone.get("/api/nothing/"), 404, "not_found");
    expectError(await anyone.get("/api/auth/login/"), 405, "method_not_allowed");
  });

  test("marks every response as not cacheable, with a request ID", async ({ anyone, reader }) => {
    const ids = new Set<string>();
    for (const answer of [
      await anyone.get("/api/auth/me"),
      await reader.api.get("/api/auth/me"),
      await reader.api.get(reader.home),
      await anyone.get("/api/nothing"),
    ]) {
      expect(answer.headers["cache-control"]).toContain("no-store");
      ids.add(String(answer.headers["x-request-id"]));
    }
    expect(ids.size).toBe(4);
  });

  test("names each invalid field in details", async ({ anyone }) => {
    const answer = await anyone.post("/api/auth/register", { email: "no address", password: "short" });
    expectInvalid(answer, "invalid_request");
    const paths = answer.json.details.map(({ path }: { path: unknown }) => String(path));
    expect(paths.toSorted()).toEqual(["email", "password"]);
  });
});

test.describe("health", () => {
  test("requires no credentials, ignores invalid ones and returns its four facts only", async ({ anyone }) => {
    const answer = await anyone.get("/api/health", {
      headers: { authorization: "Bearer junk", cookie: "auth_session=x" },
    });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json).toSorted()).toEqual(["jobs", "mongo", "status", "version"]);
  });
});
