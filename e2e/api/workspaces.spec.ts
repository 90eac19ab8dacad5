import {
  expect,
  expectError,
  expectInvalid,
  expectOk,
  ID,
  ISO,
  invitationFor,
  join,
  NO_SUCH_ID,
  newConnection,
  newEmail,
  newKey,
  type Person,
  register,
  test,
} from "./fixtures";

const SEVEN_DAYS_MS = 7 * 24 * 60 * 60 * 1000;
const roleOf = async (owner: Person, person: Person): Promise<string | undefined> => {
  const { json } = await owner.api.get(owner.home);
  return json.data.members.find(({ userId }: { userId: string }) => userId === person.id)?.role;
};

test.describe("workspaces", () => {
  test("belong to their creator, have a slug, and are in the list and the account", async ({ owner }) => {
    const made = await owner.api.post("/api/workspaces", { name: "Wind & Water GmbH" });
    expect(made.status).toBe(201);
    const workspace = made.json.data;
    expect(workspace).toEqual({
      id: expect.stringMatching(ID),
      name: "Wind & Water GmbH",
      slug: expect.stringMatching(/^[a-z0-9-]+$/),
      role: "owner",
      createdAt: expect.stringMatching(ISO),
      updatedAt: expect.stringMatching(ISO),
    });
    expect((await owner.api.get("/api/workspaces")).json.data).toContainEqual(workspace);
    expect((await owner.api.get("/api/auth/me")).json.data.workspaces).toContainEqual({
      id: workspace.id,
      name: workspace.name,
      slug: workspace.slug,
      role: "owner",
    });
  });

  test("have details with the members, their joining date and last activity", async ({ owner }) => {
    const member = await join(owner, "member");
    const { json } = await owner.api.get(owner.home);
    expect(json.data.members).toHaveLength(2);
    expect(json.data.members).toContainEqual({
      userId: member.id,
      email: member.email,
      name: "Ines Okafor",
      role: "member",
      joinedAt: expect.stringMatching(ISO),
      lastSeenAt: null,
    });
    const own = await member.api.get(owner.home);
    expect(own.json.data).toMatchObject({ id: owner.workspaceId, role: "member" });
    const seen = async () => {
      const { members } = (await owner.api.get(owner.home)).json.data;
      return members.find(({ userId }: { userId: string }) => userId === member.id).lastSeenAt;
    };
    await expect.poll(seen).toMatch(ISO);
  });

  test("get different slugs for equal names, also concurrently", async ({ owner }) => {
    const made = await Promise.all(
      Array.from({ length: 6 }, () => owner.api.post("/api/workspaces", { name: "The very same" })),
    );
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    expect(new Set(made.map(({ json }) => json.data.slug)).size).toBe(6);
  });

  test("get a slug for a name without Latin letters, of symbols only, or of a page", async ({ owner }) => {
    for (const name of ["漢字", "🌾🌾", "...", "new", "settings", "-", "Ünïcödé"]) {
      const made = await owner.api.post("/api/workspaces", { name });
      expect([name, made.status]).toEqual([name, 201]);
      expect(made.json.data.name).toBe(name);
      expect(made.json.data.slug).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
    }
  });

  test("require a name that is not blank", async ({ owner }) => {
    for (const name of ["", "   ", 5, null, ["x"], {}, "x".repeat(5000)]) {
      expectInvalid(await owner.api.post("/api/workspaces", { name }), "invalid_request");
    }
    expectInvalid(await owner.api.post("/api/workspaces", {}), "invalid_request");
  });

  test("can be renamed by an admin, not by a member", async ({ owner }) => {
    const [admin, member] = [await join(owner, "admin"), await join(owner, "member")];
    const before = (await owner.api.get(owner.home)).json.data;
    const renamed = await admin.api.patch(owner.home, { name: "New name" });
    expectOk(renamed);
    expect(renamed.json.data).toMatchObject({ id: owner.workspaceId, name: "New name", slug: before.slug });
    expect(renamed.json.data.updatedAt > before.updatedAt).toBe(true);
    expectError(await member.api.patch(owner.home, { name: "Mine" }), 403, "forbidden");
  });

  test("can be deleted by an owner only, with everything in them", async ({ owner }) => {
    const [admin, member] = [await join(owner, "admin"), await join(owner, "member")];
    const key = await newKey(owner);
    await newConnection(owner);
    const other = newEmail();
    await owner.api.post(`${owner.home}/invites`, { email: other, role: "member" });
    const token = await invitationFor(owner, other);
    for (const person of [admin, member]) expectError(await person.api.delete(owner.home), 403, "forbidden");
    expectOk(await owner.api.delete(owner.home));
    for (const person of [owner, admin, member]) {
      expectError(await person.api.get(owner.home), 403, "forbidden");
      expectError(await person.api.get(`${owner.home}/connectors`), 403, "forbidden");
    }
    expectError(await key.api.get("/api/workspaces"), 401, "unauthenticated");
    const invited = await owner.api.get(`/api/invites/${token}`);
    expect([404, 410]).toContain(invited.status);
    expect((await owner.api.get("/api/auth/me")).json.data.workspaces).toEqual([]);
    expectError(await owner.api.delete(owner.home), 403, "forbidden");
  });
});

test.describe("members", () => {
  test("are promoted and demoted by an admin; a member changes no one", async ({ owner }) => {
    const [admin, member] = [await join(owner, "admin"), await join(owner, "member")];
    expectOk(await admin.api.put(`${owner.home}/members/${member.id}`, { role: "admin" }));
    expect(await roleOf(owner, member)).toBe("admin");
    expectOk(await admin.api.put(`${owner.home}/members/${member.id}`, { role: "member" }));
    for (const [who, role] of [
      [member, "admin"],
      [member, "owner"],
      [admin, "member"],
      [owner, "member"],
    ] as const) {
      expectError(await member.api.put(`${owner.home}/members/${who.id}`, { role }), 403, "forbidden");
    }
    expect(await roleOf(owner, member)).toBe("member");
  });

  test("T27 become owners, or lose that role, only through an owner", async ({ owner }) => {
    const [admin, member] = [await join(owner, "admin"), await join(owner, "member")];
    for (const who of [admin, member]) {
      expectError(await admin.api.put(`${owner.home}/members/${who.id}`, { role: "owner" }), 403, "forbidden");
    }
    expectError(await admin.api.put(`${owner.home}/members/${owner.id}`, { role: "member" }), 403, "forbidden");
    expectError(await admin.api.delete(`${owner.home}/members/${owner.id}`), 403, "forbidden");
    expectOk(await owner.api.put(`${owner.home}/members/${admin.id}`, { role: "owner" }));
    expectOk(await admin.api.put(`${owner.home}/members/${owner.id}`, { role: "member" }));
    const { json } = await admin.api.get(owner.home);
    expect(json.data.members).toContainEqual(expect.objectContaining({ userId: owner.id, role: "member" }));
    expectError(await owner.api.put(`${owner.home}/members/${admin.id}`, { role: "member" }), 403, "forbidden");
  });

  test("T27 rejects an unknown role with 400", async ({ owner }) => {
    const member = await join(owner, "member");
    for (const role of ["Owner", "OWNER", "root", "", null, 1, { $ne: 1 }, ["admin"], "constructor", "owner "]) {
      expectInvalid(await owner.api.put(`${owner.home}/members/${member.id}`, { role }), "invalid_request");
    }
    expectInvalid(await owner.api.put(`${owner.home}/members/${member.id}`, {}), "invalid_request");
    expect(await roleOf(owner, member)).toBe("member");
  });

  test("keep a last owner: 409 last_owner", async ({ owner }) => {
    await join(owner, "admin");
    for (const role of ["admin", "member"]) {
      expectError(await owner.api.put(`${owner.home}/members/${owner.id}`, { role }), 409, "last_owner");
    }
    expectError(await owner.api.delete(`${owner.home}/members/${owner.id}`), 409, "last_owner");
    expectOk(await owner.api.put(`${owner.home}/members/${owner.id}`, { role: "owner" }));
  });

  test("T28 keep one owner if two demote or remove each other at once", async ({ owner }) => {
    for (let round = 0; round < 5; round++) {
      const other = await join(owner, "owner");
      const answers = await Promise.all([
        owner.api.put(`${owner.home}/members/${other.id}`, { role: "member" }),
        other.api.put(`${owner.home}/members/${owner.id}`, { role: "member" }),
        ...(round % 2 === 0 ? [] : [other.api.delete(`${owner.home}/members/${owner.id}`)]),
      ]);
      for (const { status } of answers) expect([200, 403, 404, 409]).toContain(status);
      const views = await Promise.all([owner, other].map(({ api }) => api.get(owner.home)));
      const seen = views.find(({ status }) => status === 200);
      const owners = seen?.json.data.members.filter(({ role }: { role: string }) => role === "owner");
      expect(owners.length).toBeGreaterThanOrEqual(1);
      // Restores a single known owner for the next round.
      const ruler = owners[0].userId === owner.id ? owner : other;
      if (ruler === other) return;
      await owner.api.delete(`${owner.home}/members/${other.id}`);
    }
  });

  test("can leave, and can be removed by an admin", async ({ owner }) => {
    const [admin, member, leaving] = [
      await join(owner, "admin"),
      await join(owner, "member"),
      await join(owner, "member"),
    ];
    expectError(await member.api.delete(`${owner.home}/members/${leaving.id}`), 403, "forbidden");
    expectOk(await leaving.api.delete(`${owner.home}/members/${leaving.id}`));
    expectError(await leaving.api.get(owner.home), 403, "forbidden");
    expectOk(await admin.api.delete(`${owner.home}/members/${member.id}`));
    expectError(await admin.api.delete(`${owner.home}/members/${member.id}`), 404, "not_found");
    expect((await owner.api.get(owner.home)).json.data.members).toHaveLength(2);
  });
});

test.describe("invitations", () => {
  test("are mailed with a link to the service's own URL, show their expiry in 7 days, and are accepted once", async ({
    owner,
    stranger,
  }) => {
    const made = await owner.api.post(`${owner.home}/invites`, { email: stranger.email, role: "admin" });
    expect(made.status).toBe(201);
    const invite = made.json.data;
    expect(invite).toMatchObject({ id: expect.stringMatching(ID), email: stranger.email, role: "admin" });
    expect(Date.parse(invite.expiresAt) - Date.parse(invite.createdAt)).toBe(SEVEN_DAYS_MS);
    const listed = (await owner.api.get(`${owner.home}/invites`)).json.data;
    expect(listed).toHaveLength(1);
    const token = await invitationFor(owner, stranger.email);
    expect(JSON.stringify(listed)).not.toContain(token);

    const shown = await stranger.api.get(`/api/invites/${token}`);
    expectOk(shown);
    expect(shown.text).toContain("admin");
    expectOk(await stranger.api.post(`/api/invites/${token}/accept`));
    expect((await stranger.api.get(owner.home)).json.data.role).toBe("admin");
    expect((await owner.api.get(`${owner.home}/invites`)).json.data).toEqual([]);
    const again = await stranger.api.post(`/api/invites/${token}/accept`);
    expect([404, 409, 410]).toContain(again.status);
  });

  test("are for their address only: others get 403, and they stay valid", async ({ owner, stranger, anyone }) => {
    const email = newEmail();
    await owner.api.post(`${owner.home}/invites`, { email: email.toUpperCase(), role: "member" });
    const outbox = (await owner.api.get(`${owner.home}/outbox`)).json.data.items[0];
    const token = /\/invites\/([\w-]+)/.exec(outbox.text)?.[1];
    expectError(await stranger.api.post(`/api/invites/${token}/accept`), 403, "forbidden");
    expectError(await anyone.post(`/api/invites/${token}/accept`), 401, "unauthenticated");
    expectError(await stranger.api.get(owner.home), 403, "forbidden");
    const invited = await register(anyone, email);
    expectOk(await invited.api.post(`/api/invites/${token}/accept`));
    expectOk(await invited.api.get(owner.home));
  });

  test("return 404 for an unknown token", async ({ owner, anyone }) => {
    const token = "A".repeat(43);
    expectError(await anyone.get(`/api/invites/${token}`), 404, "not_found");
    expectError(await owner.api.post(`/api/invites/${token}/accept`), 404, "not_found");
  });

  test("are invalid after revocation", async ({ owner, stranger }) => {
    const made = await owner.api.post(`${owner.home}/invites`, { email: stranger.email, role: "member" });
    const token = await invitationFor(owner, stranger.email);
    expectOk(await owner.api.delete(`${owner.home}/invites/${made.json.data.id}`));
    expectError(await owner.api.delete(`${owner.home}/invites/${made.json.data.id}`), 404, "not_found");
    expect([404, 410]).toContain((await stranger.api.post(`/api/invites/${token}/accept`)).status);
    expectError(await stranger.api.get(owner.home), 403);
  });

  test("are hidden from members, and an admin can't invite an owner", async ({ owner }) => {
    const [admin, member] = [await join(owner, "admin"), await join(owner, "member")];
    const invite = { email: newEmail(), role: "member" };
    expectError(await member.api.post(`${owner.home}/invites`, invite), 403, "forbidden");
    expectError(await member.api.get(`${owner.home}/invites`), 403, "forbidden");
    expect((await admin.api.post(`${owner.home}/invites`, invite)).status).toBe(201);
    const asOwner = await admin.api.post(`${owner.home}/invites`, { email: newEmail(), role: "owner" });
    expect([400, 403]).toContain(asOwner.status);
  });

  test("return 400 for an invalid address or role, and send no mail", async ({ owner }) => {
    for (const json of [
      { email: "nobody", role: "member" },
      { email: newEmail(), role: "emperor" },
      { email: ["a@example.com"], role: "member" },
      { email: "a@example.com\r\nBcc: b@example.com", role: "member" },
      { role: "member" },
    ]) {
      expectInvalid(await owner.api.post(`${owner.home}/invites`, json), "invalid_request");
    }
    expect((await owner.api.get(`${owner.home}/outbox`)).json.data.items).toEqual([]);
  });

  test("create one membership when accepted twice at once", async ({ owner, stranger }) => {
    await owner.api.post(`${owner.home}/invites`, { email: stranger.email, role: "member" });
    const token = await invitationFor(owner, stranger.email);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => stranger.api.post(`/api/invites/${token}/accept`)),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
    for (const { status } of answers) expect([200, 404, 409, 410]).toContain(status);
    expect((await owner.api.get(owner.home)).json.data.members).toHaveLength(2);
  });

  test("conflict for an existing member, or change nothing", async ({ owner }) => {
    const member = await join(owner, "member");
    const answer = await owner.api.post(`${owner.home}/invites`, { email: member.email, role: "admin" });
    expectError(answer, 409, answer.json.code);
    expect(await roleOf(owner, member)).toBe("member");
  });
});

test.describe("the outbox", () => {
  test("keeps each mail of the workspace complete, newest first, for admins", async ({ owner }) => {
    const emails = [newEmail(), newEmail(), newEmail()];
    for (const email of emails) await owner.api.post(`${owner.home}/invites`, { email, role: "member" });
    const { json } = await owner.api.get(`${owner.home}/outbox`);
    expect(json.data.nextCursor).toBeNull();
    expect(json.data.items.map(({ to }: { to: string[] }) => to[0])).toEqual(emails.toReversed());
    for (const mail of json.data.items) {
      expect(mail).toEqual({
        id: expect.stringMatching(ID),
        to: [expect.stringContaining("@")],
        subject: expect.stringMatching(/\S/),
        text: expect.stringContaining("/invites/"),
        html: expect.stringContaining("/invites/"),
        status: "kept",
        createdAt: expect.stringMatching(ISO),
      });
    }
    const page = await owner.api.get(`${owner.home}/outbox?limit=2`);
    expect(page.json.data.items).toHaveLength(2);
    const rest = await owner.api.get(
      `${owner.home}/outbox?limit=2&cursor=${encodeURIComponent(page.json.data.nextCursor)}`,
    );
    expect(rest.json.data).toEqual({ items: [json.data.items[2]], nextCursor: null });
    const member = await join(owner, "member");
    expectError(await member.api.get(`${owner.home}/outbox`), 403, "forbidden");
  });

  test("T27 hides owner links from admins, and all mail from keys", async ({ owner }) => {
    const admin = await join(owner, "admin");
    const email = newEmail();
    const { link } = (await owner.api.post(`${owner.home}/invites`, { email, role: "owner" })).json.data;
    const read = await admin.api.get(`${owner.home}/outbox`);
    expectOk(read);
    expect(read.json.data.items[0]).toMatchObject({ to: [email], text: expect.stringContaining("Only owners") });
    expect(read.text).not.toContain(link);
    expect((await owner.api.get(`${owner.home}/outbox`)).text).toContain(link);
    const { api } = await newKey(owner);
    expectError(await api.get(`${owner.home}/outbox`), 403, "forbidden");
  });

  test("T109 builds no link from a foreign Host", async ({ owner }) => {
    for (const headers of [
      { host: "evil.example" },
      { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
      { forwarded: "host=evil.example" },
    ]) {
      await owner.api.post(`${owner.home}/invites`, { email: newEmail(), role: "member" }, { headers });
    }
    const answer = await owner.api.get(`${owner.home}/outbox`);
    expect(answer.json.data.items.length).toBeGreaterThan(0);
    expect(answer.text).not.toContain("evil.example");
  });

  test("T83 T84 keeps names with line breaks and tags as text in mail", async ({ anyone }) => {
    const email = newEmail();
    const answer = await anyone.post("/api/auth/register", {
      email,
      password: "seven herons by the mill",
      name: "<img src=x onerror=alert(1)>",
    });
    const session = /auth_session=([^;]+)/.exec(answer.setCookies[0] ?? "")?.[1] ?? "";
    const api = anyone.withSession(session);
    const home = `/api/workspaces/${answer.json.data.workspace.id}`;
    await api.patch(home, { name: '</a><script>alert("x")</script>' });
    expect((await api.post(`${home}/invites`, { email: newEmail(), role: "member" })).status).toBe(201);
    const [mail] = (await api.get(`${home}/outbox`)).json.data.items;
    expect(mail.html).not.toContain("<script>");
    expect(mail.html).not.toContain("<img src=x");
    expect(mail.subject).not.toMatch(/[\r\n]/);
  });
});

test.describe("API keys", () => {
  test("T17 show the key once, in its format and uncached, and never again", async ({ owner }) => {
    const made = await owner.api.post(`${owner.home}/api-keys`, { name: "reports" });
    expect(made.status).toBe(201);
    const { key, ...rest } = made.json.data;
    expect(key).toMatch(/^mr_[A-Za-z0-9_-]{43}$/);
    expect(made.headers["cache-control"]).toContain("no-store");
    expect(rest).toMatchObject({
      id: expect.stringMatching(ID),
      name: "reports",
      prefix: expect.any(String),
      createdAt: expect.stringMatching(ISO),
      expiresAt: null,
    });
    expect(key.startsWith(rest.prefix)).toBe(true);
    expect(rest.prefix.length).toBeLessThanOrEqual(12);
    const list = await owner.api.get(`${owner.home}/api-keys`);
    expect(list.json.data).toHaveLength(1);
    expect(list.json.data[0].key).toBeUndefined();
    expect(list.text).not.toContain(key);
  });

  test("store lastUsedAt", async ({ owner }) => {
    const { api } = await newKey(owner);
    expect((await owner.api.get(`${owner.home}/api-keys`)).json.data[0].lastUsedAt).toBeNull();
    const before = new Date().toISOString();
    expectOk(await api.get(owner.home));
    await expect
      .poll(async () => (await owner.api.get(`${owner.home}/api-keys`)).json.data[0].lastUsedAt >= before)
      .toBe(true);
  });

  test("T19 return 401 at once after revocation", async ({ owner }) => {
    const { api, id } = await newKey(owner);
    expectOk(await api.get(owner.home));
    expectOk(await owner.api.delete(`${owner.home}/api-keys/${id}`));
    expectError(await api.get(owner.home), 401, "unauthenticated");
    expectError(await owner.api.delete(`${owner.home}/api-keys/${id}`), 404, "not_found");
  });

  test("expire on time, and return 400 for a past or invalid expiry", async ({ owner }) => {
    const expiresAt = new Date(Date.now() + 2500).toISOString();
    const made = await owner.api.post(`${owner.home}/api-keys`, { name: "short", expiresAt });
    expect(made.status, made.text).toBe(201);
    expect(made.json.data.expiresAt).toBe(expiresAt);
    const api = owner.api.withKey(made.json.data.key);
    expectOk(await api.get(owner.home));
    await expect.poll(async () => (await api.get(owner.home)).status, { timeout: 8000 }).toBe(401);
    for (const bad of ["2001-01-01T00:00:00.000Z", "tomorrow", 5, "2999-02-30T00:00:00.000Z"]) {
      expectInvalid(await owner.api.post(`${owner.home}/api-keys`, { name: "x", expiresAt: bad }), "invalid_request");
    }
  });

  test("are hidden from members, who can't create or revoke them", async ({ owner }) => {
    const member = await join(owner, "member");
    const { id } = await newKey(owner);
    expectError(await member.api.get(`${owner.home}/api-keys`), 403, "forbidden");
    expectError(await member.api.post(`${owner.home}/api-keys`, { name: "x" }), 403, "forbidden");
    expectError(await member.api.delete(`${owner.home}/api-keys/${id}`), 403, "forbidden");
  });

  test("require a name", async ({ owner }) => {
    for (const name of ["", " ", 5, null, "x".repeat(5000)]) {
      expectInvalid(await owner.api.post(`${owner.home}/api-keys`, { name }), "invalid_request");
    }
  });

  test("return 403 for another workspace, existing or not", async ({ owner, stranger }) => {
    const { api } = await newKey(owner);
    const [existing, invented] = [await api.get(stranger.home), await api.get(`/api/workspaces/${NO_SUCH_ID}`)];
    expectError(existing, 403, "forbidden");
    expect(invented.status).toBe(403);
    expect(invented.text).toBe(existing.text);
  });
});
