import { fill, inEnvelope, listedRoutes } from "./documented-routes";
import { expect, expectError, expectOk, test } from "./fixtures";

test.describe("cross-site requests", () => {
  test("T13 rejects every cross-site write by cookie with 403, by Sec-Fetch-Site or Origin", async ({
    anyone,
    owner,
  }) => {
    const wrong: string[] = [];
    const base = new URL(owner.api.base.href);
    for (const route of (await listedRoutes(anyone)).filter(inEnvelope)) {
      if (route.method === "GET") continue;
      const path = fill(route.path, owner.workspaceId);
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "rubbish" },
        { "sec-fetch-site": "cross-site", origin: base.origin },
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: `http://evil.example:${base.port}` },
        { origin: `http://${base.hostname}:1` },
        { origin: `${base.origin}.evil.example` },
      ]) {
        const answer = await owner.api.send(route.method, path, { json: {}, headers });
        if (answer.status !== 403) {
          wrong.push(`${route.method} ${path} ${JSON.stringify(headers)}: ${answer.status}`);
        }
      }
    }
    // Signed deliveries come from servers, and an app in its frame is cross-site by design: neither has a cookie.
    expect(wrong.filter((line) => !/\/api\/(?:webhooks|repohost|apps\/dev)\//.test(line))).toEqual([]);
  });

  test("T14 rejects cross-site login and registration with 403, without a cookie", async ({ anyone, reader }) => {
    const { email, password } = reader;
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      for (const [path, json] of [
        ["/api/auth/login", { email, password }],
        ["/api/auth/register", { email: "new@example.com", password }],
      ] as const) {
        const answer = await anyone.post(path, json, { headers });
        expectError(answer, 403, "forbidden");
        expect(answer.setCookies).toEqual([]);
      }
    }
  });

  test("allows writes from the same page, a typed URL, the same host as Origin, and without a browser", async ({
    owner,
  }) => {
    const base = new URL(owner.api.base.href);
    for (const headers of [
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
      { origin: base.origin },
      { "sec-fetch-site": "same-origin", origin: base.origin },
      {},
    ]) {
      expectOk(await owner.api.patch(owner.home, { name: "Mine" }, { headers }));
    }
  });

  test("allows reads by cookie with headers of another site", async ({ owner }) => {
    expectOk(await owner.api.get(owner.home, { headers: { "sec-fetch-site": "cross-site" } }));
  });

  test("lets no other origin read a response", async ({ owner, anyone }) => {
    for (const answer of [
      await owner.api.get(owner.home, { headers: { origin: "https://evil.example" } }),
      await anyone.send("OPTIONS", "/api/workspaces", {
        headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
      }),
    ]) {
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });
});
