import { expect, expectError, expectOk, join, NO_SUCH_ID, newKey, test } from "./fixtures";

test.describe("API keys and cookies", () => {
  test("T21 never falls back to the cookie with an Authorization header", async ({ owner }) => {
    for (const authorization of [
      "Bearer junk",
      "Bearer ",
      "Bearer",
      "",
      "Basic dXNlcjpwYXNz",
      `Bearer mr_${"A".repeat(43)}`,
      `bearer${" "}mr_x`,
      `Bearer ${owner.session}`,
      "null",
      "Bearer a b",
    ]) {
      const answer = await owner.api.get("/api/workspaces", { headers: { authorization } });
      expectError(answer, 401, "unauthenticated");
      expectError(
        await owner.api.post("/api/workspaces", { name: "no" }, { headers: { authorization } }),
        401,
        "unauthenticated",
      );
    }
  });

  test("acts as the key if another person's cookie is sent too", async ({ owner, stranger }) => {
    const { key } = await newKey(owner);
    const { json } = await stranger.api.get("/api/workspaces", { headers: { authorization: `Bearer ${key}` } });
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([owner.workspaceId]);
  });

  test("ignores the case of the scheme", async ({ owner }) => {
    const { key } = await newKey(owner);
    for (const scheme of ["bearer", "BEARER"]) {
      expectOk(await owner.api.as({ authorization: `${scheme} ${key}` }).get(owner.home));
    }
  });

  test("limits a key to its workspace, even if its creator has more", async ({ owner }) => {
    const { api } = await newKey(owner);
    const other = await owner.api.post("/api/workspaces", { name: "Second" });
    const { json } = await api.get("/api/workspaces");
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual([owner.workspaceId]);
    expectError(await api.get(`/api/workspaces/${other.json.data.id}`), 403, "forbidden");
    expectError(await api.get(`/api/workspaces/${other.json.data.id}/connectors`), 403, "forbidden");
  });

  test("rejects keys on account routes, and for workspaces, members, invitations and keys", async ({ owner }) => {
    const { api, id } = await newKey(owner);
    const home = owner.home;
    const refused: [string, string, unknown?][] = [
      ["GET", "/api/auth/me"],
      ["POST", "/api/auth/password", { current: owner.password, next: "another password" }],
      ["GET", "/api/auth/sessions"],
      ["DELETE", `/api/auth/sessions/${NO_SUCH_ID}`],
      ["GET", "/api/me/preferences"],
      ["PUT", "/api/me/preferences", { theme: "dark" }],
      ["POST", "/api/workspaces", { name: "by key" }],
      ["DELETE", home],
      ["PUT", `${home}/members/${owner.id}`, { role: "member" }],
      ["DELETE", `${home}/members/${owner.id}`],
      ["GET", `${home}/invites`],
      ["POST", `${home}/invites`, { email: "x@example.com", role: "member" }],
      ["DELETE", `${home}/invites/${NO_SUCH_ID}`],
      ["GET", `${home}/api-keys`],
      ["POST", `${home}/api-keys`, { name: "another" }],
      ["DELETE", `${home}/api-keys/${id}`],
    ];
    for (const [method, path, json] of refused) {
      const answer = await api.send(method, path, { json });
      expect([method, path, answer.status]).toEqual([method, path, 403]);
      expectError(answer, 403, "forbidden");
    }
    expectOk(await owner.api.get(home));
  });

  test("acts as the key's creator, with an admin's permissions too", async ({ owner }) => {
    const { api } = await newKey(owner);
    expectOk(await api.patch(owner.home, { name: "Renamed by key" }));
    const made = await api.post(`${owner.home}/connectors`, {
      name: "k",
      type: "duckdb",
      config: { file: "k.duckdb" },
    });
    expect(made.status).toBe(201);
    expect(made.json.data.createdBy).toBe(owner.id);
    expectOk(await api.delete(`${owner.home}/connections/sources/${made.json.data.id}`));
  });

  test("acts as a member after its creator is demoted, and returns 401 after their removal", async ({ owner }) => {
    const admin = await join(owner, "admin");
    const { api } = await newKey(admin, owner.home);
    expectOk(await api.patch(owner.home, { name: "By an admin's key" }));
    expectOk(await owner.api.put(`${owner.home}/members/${admin.id}`, { role: "member" }));
    expectError(await api.patch(owner.home, { name: "By a member's key" }), 403, "forbidden");
    expectOk(await api.get(owner.home));
    expectOk(await owner.api.delete(`${owner.home}/members/${admin.id}`));
    expectError(await api.get(owner.home), 401, "unauthenticated");
    expectError(await api.get("/api/workspaces"), 401, "unauthenticated");
  });

  test("needs no browser headers and accepts a foreign Origin with a key", async ({ owner }) => {
    const { api } = await newKey(owner);
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { origin: "null", "sec-fetch-site": "cross-site" },
    ]) {
      expectOk(await api.patch(owner.home, { name: "From anywhere" }, { headers }));
    }
  });
});
