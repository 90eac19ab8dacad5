import { randomUUID } from "node:crypto";
import { type Answer, sessionIn } from "./client";
import {
  expect,
  expectError,
  expectInvalid,
  expectOk,
  ID,
  ISO,
  join,
  NO_SUCH_ID,
  newEmail,
  newKey,
  PASSWORD,
  register,
  test,
} from "./fixtures";

const THIRTY_DAYS_S = 30 * 24 * 60 * 60;

function cookieLine(answer: Answer): string {
  const lines = answer.setCookies.filter((line) => line.startsWith("auth_session="));
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

test.describe("registration", () => {
  test("returns the user and a first workspace owned by the user, and sets the cookie", async ({ anyone }) => {
    const email = newEmail();
    const answer = await anyone.post("/api/auth/register", { email, password: PASSWORD, name: "Bo Lindqvist" });
    expect(answer.status).toBe(201);
    const { user, workspace } = answer.json.data;
    expect(user).toEqual({
      id: expect.stringMatching(ID),
      email,
      name: "Bo Lindqvist",
      createdAt: expect.stringMatching(ISO),
    });
    expect(workspace).toMatchObject({ id: expect.stringMatching(ID), role: "owner", name: expect.any(String) });
    const me = await anyone.withSession(sessionIn(answer) ?? "").get("/api/auth/me");
    const { id, name, slug, role } = workspace;
    expect(me.json).toMatchObject({ success: true, data: { user, workspaces: [{ id, name, slug, role }] } });
  });

  test("adds the sample connection to the first workspace, ready to query", async ({ owner }) => {
    const { json } = await owner.api.get(`${owner.home}/connectors`);
    expect(json.data).toEqual([expect.objectContaining({ name: "Sample shop", type: "duckdb", readOnly: true })]);
    const answer = await owner.api.post(`${owner.home}/databases/${json.data[0].id}/execute`, {
      query: "select count(*) as n from orders",
    });
    expectOk(answer);
    expect(answer.json.data.rows[0].n).toBeGreaterThan(0);
  });

  test("requires no name", async ({ anyone }) => {
    const answer = await anyone.post("/api/auth/register", { email: newEmail(), password: PASSWORD });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json.data.workspace.name).not.toMatch(/undefined|null/);
  });

  test("returns 409 email_taken without a cookie for a known address, ignoring case and spaces", async ({
    anyone,
    owner,
  }) => {
    for (const email of [owner.email, owner.email.toUpperCase()]) {
      const answer = await anyone.post("/api/auth/register", { email, password: PASSWORD });
      expectError(answer, 409, "email_taken");
      expect(answer.setCookies).toEqual([]);
    }
    const spaced = await anyone.post("/api/auth/register", { email: ` ${owner.email} `, password: PASSWORD });
    expect([400, 409]).toContain(spaced.status);
  });

  test("creates one account for two concurrent requests with one address", async ({ anyone }) => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => anyone.post("/api/auth/register", { email, password: PASSWORD })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 201);
    const me = await anyone.withSession(winner ? (sessionIn(winner) ?? "") : "").get("/api/auth/me");
    expect(me.json.data.workspaces).toHaveLength(1);
  });

  test("T7 accepts passwords of 8 to 128 characters and rejects others with 400", async ({ anyone }) => {
    for (const password of ["x".repeat(8), "x".repeat(128), "π🌾ééé漢字!", " 8 chars "]) {
      const answer = await anyone.post("/api/auth/register", { email: newEmail(), password });
      expect([password.length, answer.status]).toEqual([password.length, 201]);
    }
    for (const password of ["", "x".repeat(7), "x".repeat(129), 12345678, null, ["x".repeat(8)], { $ne: null }]) {
      expectInvalid(await anyone.post("/api/auth/register", { email: newEmail(), password }), "invalid_request");
    }
  });

  test("T7 counts password characters, not UTF-16 units or bytes", async ({ anyone }) => {
    expect((await anyone.post("/api/auth/register", { email: newEmail(), password: "🌾".repeat(128) })).status).toBe(
      201,
    );
    expectInvalid(await anyone.post("/api/auth/register", { email: newEmail(), password: "🌾".repeat(7) }));
  });

  test("T7 uses every byte of a password and trims nothing", async ({ anyone }) => {
    const email = newEmail();
    const password = ` ${"a".repeat(100)}z `;
    expect((await anyone.post("/api/auth/register", { email, password })).status).toBe(201);
    for (const wrong of [password.trim(), `${password}x`, ` ${"a".repeat(100)}y `, password.toUpperCase()]) {
      expectError(await anyone.post("/api/auth/login", { email, password: wrong }), 401, "invalid_credentials");
    }
    expectOk(await anyone.post("/api/auth/login", { email, password }));
  });

  test("T7 treats two Unicode forms of a password as one", async ({ anyone }) => {
    const email = newEmail();
    expect((await anyone.post("/api/auth/register", { email, password: "caf\u00e9 caf\u00e9" })).status).toBe(201);
    expectOk(await anyone.post("/api/auth/login", { email, password: "cafe\u0301 cafe\u0301" }));
  });

  test("rejects an invalid address with 400", async ({ anyone }) => {
    for (const email of [
      "",
      "x",
      "x@",
      "@x.com",
      "a b@example.com",
      "a@b@c.com",
      null,
      5,
      [],
      { $ne: null },
      "a@b\r\nBcc: c@d.e",
    ]) {
      expectInvalid(await anyone.post("/api/auth/register", { email, password: PASSWORD }), "invalid_request");
    }
    expectInvalid(
      await anyone.post("/api/auth/register", { email: `${"x".repeat(400)}@example.com`, password: PASSWORD }),
    );
  });

  test("accepts a common password", async ({ anyone }) => {
    expect((await anyone.post("/api/auth/register", { email: newEmail(), password: "password123" })).status).toBe(201);
  });

  test("returns a name in any script, with quotes, tags or emoji, unchanged", async ({ anyone }) => {
    for (const name of ["Zoë «Ω» 漢字 🌾", "<script>alert(1)</script>", `O'Brien "X" \\`, "שלום"]) {
      const answer = await anyone.post("/api/auth/register", { email: newEmail(), password: PASSWORD, name });
      expect(answer.status).toBe(201);
      expect(answer.json.data.user.name).toBe(name);
    }
  });

  test("rejects or safely stores a name with a lone surrogate or a NUL, without a failure", async ({ anyone }) => {
    for (const name of ["\ud800", "a\u0000b", "\u202e\u200b", " ".repeat(5), "x".repeat(5000)]) {
      const answer = await anyone.post("/api/auth/register", { email: newEmail(), password: PASSWORD, name });
      expect([201, 400]).toContain(answer.status);
    }
  });
});

test.describe("the session cookie", () => {
  test("T9 is HttpOnly, SameSite=Lax, on the whole site, for 30 days, without a Domain", async ({ anyone, owner }) => {
    const line = cookieLine(await anyone.post("/api/auth/login", { email: owner.email, password: owner.password }));
    const attributes = line
      .split("; ")
      .slice(1)
      .map((each) => each.toLowerCase());
    expect(attributes).toContain("httponly");
    expect(attributes).toContain("samesite=lax");
    expect(attributes).toContain("path=/");
    expect(attributes).toContain(`max-age=${THIRTY_DAYS_S}`);
    expect(attributes.filter((each) => each.startsWith("domain"))).toEqual([]);
  });

  test("T8 is new after each login, whatever cookie was sent, and the old session ends", async ({ owner, anyone }) => {
    const login = { email: owner.email, password: owner.password };
    const planted = await anyone.withSession("planted-by-somebody").post("/api/auth/login", login);
    expectOk(planted);
    expect(sessionIn(planted)).not.toBe("planted-by-somebody");
    expect(sessionIn(planted)?.length).toBeGreaterThanOrEqual(43);
    const again = await owner.api.post("/api/auth/login", login);
    expect(sessionIn(again)).not.toBe(owner.session);
    expectError(await owner.api.get("/api/auth/me"), 401, "unauthenticated");
    expectOk(await anyone.withSession(sessionIn(again) ?? "").get("/api/auth/me"));
  });

  test("is not sent again while it is new", async ({ owner }) => {
    expect((await owner.api.get("/api/auth/me")).setCookies).toEqual([]);
  });

  test("returns 401 for an invalid value: random, empty, re-encoded, cut or extended", async ({ anyone, owner }) => {
    const { session } = owner;
    for (const value of [
      "",
      "x",
      "%00",
      "..",
      session.slice(1),
      `${session}A`,
      session.toLowerCase(),
      "a".repeat(7000),
    ]) {
      expectError(await anyone.withSession(value).get("/api/auth/me"), 401, "unauthenticated");
    }
  });

  test("uses the first of two cookies, and never mixes two people", async ({ anyone, owner, stranger }) => {
    const answer = await anyone
      .as({ cookie: `auth_session=${owner.session}; auth_session=${stranger.session}` })
      .get("/api/auth/me");
    expect([200, 401]).toContain(answer.status);
    expect([owner.email, stranger.email, undefined]).toContain(answer.json.data?.user.email);
  });
});

test.describe("login", () => {
  test("returns the user, also for an address in capitals", async ({ anyone, owner }) => {
    for (const email of [owner.email, owner.email.toUpperCase()]) {
      const answer = await anyone.post("/api/auth/login", { email, password: owner.password });
      expectOk(answer);
      expect(Object.keys(answer.json.data)).toEqual(["user"]);
      expect(answer.json.data.user).toEqual({
        id: owner.id,
        email: owner.email,
        name: "Ines Okafor",
        createdAt: expect.stringMatching(ISO),
      });
    }
  });

  test("T1 returns the same response for an unknown address and a wrong password, headers included", async ({
    anyone,
    owner,
  }) => {
    const known = await anyone.post("/api/auth/login", { email: owner.email, password: "not the password" });
    const unknown = await anyone.post("/api/auth/login", { email: newEmail(), password: "not the password" });
    expectError(known, 401, "invalid_credentials");
    expect(unknown.status).toBe(401);
    expect(unknown.text).toBe(known.text);
    expect(Object.keys(unknown.headers).toSorted()).toEqual(Object.keys(known.headers).toSorted());
    expect(known.setCookies).toEqual([]);
  });

  test("T56 returns 400 for operators instead of text", async ({ anyone }) => {
    for (const json of [
      { email: { $ne: null }, password: { $ne: null } },
      { email: { $gt: "" }, password: PASSWORD },
      { email: newEmail(), password: { $regex: ".*" } },
      { email: ["a@example.com"], password: PASSWORD },
      {},
    ]) {
      expectInvalid(await anyone.post("/api/auth/login", json), "invalid_request");
    }
  });

  test("T6 rejects a password of 1 MB before hashing it", async ({ anyone, owner }) => {
    const answer = await anyone.post("/api/auth/login", { email: owner.email, password: "x".repeat(1_000_000) });
    expect([400, 413]).toContain(answer.status);
  });
});

test.describe("logout", () => {
  test("T11 ends the session on the server and clears the cookie", async ({ owner, anyone }) => {
    const answer = await owner.api.post("/api/auth/logout");
    expectOk(answer);
    const line = cookieLine(answer);
    expect(sessionIn(answer)).toBe("");
    expect(line).toMatch(/max-age=0|expires=Thu, 01 Jan 1970/i);
    expect(line).toMatch(/path=\//i);
    expectError(await anyone.withSession(owner.session).get("/api/auth/me"), 401, "unauthenticated");
  });

  test("returns 200 without a session, twice, and with an invalid cookie", async ({ anyone, owner }) => {
    expectOk(await anyone.post("/api/auth/logout"));
    expectOk(await owner.api.post("/api/auth/logout"));
    expectOk(await owner.api.post("/api/auth/logout"));
    expectOk(await anyone.withSession("rubbish").post("/api/auth/logout"));
  });

  test("ends only this session", async ({ owner, anyone }) => {
    const other = await anyone.post("/api/auth/login", { email: owner.email, password: owner.password });
    await owner.api.post("/api/auth/logout");
    expectOk(await anyone.withSession(sessionIn(other) ?? "").get("/api/auth/me"));
  });
});

test.describe("password change", () => {
  test("T11 ends the other sessions, keeps this one and sets the new password", async ({ owner, anyone }) => {
    const login = await anyone.post("/api/auth/login", { email: owner.email, password: owner.password });
    const other = anyone.withSession(sessionIn(login) ?? "");
    const next = "nine otters in the race";
    const changed = await owner.api.post("/api/auth/password", { current: owner.password, next });
    expectOk(changed);
    expectError(await other.get("/api/auth/me"), 401, "unauthenticated");
    const session = sessionIn(changed) ?? owner.session;
    expectOk(await anyone.withSession(session).get("/api/auth/me"));
    expectError(await anyone.post("/api/auth/login", { email: owner.email, password: owner.password }), 401);
    expectOk(await anyone.post("/api/auth/login", { email: owner.email, password: next }));
  });

  test("a wrong current password changes nothing", async ({ owner, anyone }) => {
    const answer = await owner.api.post("/api/auth/password", { current: "not the password", next: "x".repeat(12) });
    expect([400, 401, 403]).toContain(answer.status);
    expectOk(await owner.api.get("/api/auth/me"));
    expectOk(await anyone.post("/api/auth/login", { email: owner.email, password: owner.password }));
  });

  test("applies the same length limits to the new password", async ({ owner, anyone }) => {
    for (const next of ["short", "x".repeat(129), 5, null]) {
      expectInvalid(await owner.api.post("/api/auth/password", { current: owner.password, next }), "invalid_request");
    }
    expectError(await anyone.post("/api/auth/password", { current: "a", next: "b" }), 401, "unauthenticated");
  });
});

test.describe("password reset", () => {
  test("always returns 200, with the same response for an unknown address", async ({ anyone, owner }) => {
    const known = await anyone.post("/api/auth/password/forgot", { email: owner.email });
    const unknown = await anyone.post("/api/auth/password/forgot", { email: newEmail() });
    expectOk(known);
    expectOk(unknown);
    expect(unknown.text).toBe(known.text);
    expect(known.text).not.toMatch(/[\w-]{30,}/);
  });

  test("rejects a made-up token without revealing anything", async ({ anyone }) => {
    for (const token of ["x", "A".repeat(43), "", "../..", "A".repeat(5000)]) {
      const answer = await anyone.post("/api/auth/password/reset", { token, password: PASSWORD });
      expect([400, 404, 410]).toContain(answer.status);
      expectError(answer, answer.status);
    }
  });
});

test.describe("the session list", () => {
  test("shows each session once, marks the current one, and shows no token", async ({ owner, anyone }) => {
    const login = await anyone.post(
      "/api/auth/login",
      { email: owner.email, password: owner.password },
      { headers: { "user-agent": "Another browser" } },
    );
    const { json, text } = await owner.api.get("/api/auth/sessions");
    expect(json.data).toHaveLength(2);
    for (const session of json.data) expect(session.id).toMatch(ID);
    expect(text).not.toContain(owner.session);
    expect(text).not.toContain(sessionIn(login) ?? "-");
    expect(text).toContain("Another browser");
  });

  test("ends one of them immediately", async ({ owner, anyone }) => {
    const mine = (await owner.api.get("/api/auth/sessions")).json.data[0].id;
    const login = await anyone.post("/api/auth/login", { email: owner.email, password: owner.password });
    const other = anyone.withSession(sessionIn(login) ?? "");
    const ids = (await owner.api.get("/api/auth/sessions")).json.data.map(({ id }: { id: string }) => id);
    const theirs = ids.find((id: string) => id !== mine);
    expectOk(await owner.api.delete(`/api/auth/sessions/${theirs}`));
    expectError(await other.get("/api/auth/me"), 401, "unauthenticated");
    expectError(await owner.api.delete(`/api/auth/sessions/${theirs}`), 404, "not_found");
    expectOk(await owner.api.get("/api/auth/me"));
  });

  test("returns 404 for another person's session", async ({ owner, stranger }) => {
    const theirs = (await stranger.api.get("/api/auth/sessions")).json.data[0].id;
    const foreign = await owner.api.delete(`/api/auth/sessions/${theirs}`);
    expectError(foreign, 404, "not_found");
    expect((await owner.api.delete(`/api/auth/sessions/${NO_SUCH_ID}`)).text).toBe(foreign.text);
    expectError(await owner.api.delete("/api/auth/sessions/abc"), 400, "invalid_request");
    expectOk(await stranger.api.get("/api/auth/me"));
  });
});

test.describe("preferences", () => {
  test("returns what was stored, for this person only", async ({ owner, stranger }) => {
    const before = (await stranger.api.get("/api/me/preferences")).text;
    expectOk(await owner.api.get("/api/me/preferences"));
    const put = await owner.api.put("/api/me/preferences", { theme: "dark", panels: { explorer: 260 } });
    expectOk(put);
    const { json } = await owner.api.get("/api/me/preferences");
    expect(json.data.theme).toBe("dark");
    expect(json.data.panels).toEqual(put.json.data.panels);
    expect((await stranger.api.get("/api/me/preferences")).text).toBe(before);
  });

  test("rejects an unknown theme with 400", async ({ owner }) => {
    expectInvalid(await owner.api.put("/api/me/preferences", { theme: "plaid" }), "invalid_request");
  });
});

test("T20 revokes a removed member's access at once, by session and by key", async ({ owner }) => {
  const admin = await join(owner, "admin");
  const key = await newKey(admin, owner.home);
  expectOk(await admin.api.get(owner.home));
  expectOk(await owner.api.delete(`${owner.home}/members/${admin.id}`));
  expectError(await admin.api.get(owner.home), 403, "forbidden");
  expectError(await key.api.get(owner.home), 401, "unauthenticated");
  expectOk(await admin.api.get("/api/auth/me"));
});

test("T22 gives a new user no rights over existing workspaces", async ({ owner, anyone }) => {
  const late = await register(anyone);
  const { json } = await late.api.get("/api/workspaces");
  expect(json.data).toHaveLength(1);
  expectError(await late.api.get(owner.home), 403, "forbidden");
  for (const path of ["/api/setup", "/api/seed", "/api/admin", "/api/users"]) {
    expectError(await late.api.post(path, { x: randomUUID() }), 404, "not_found");
  }
});
