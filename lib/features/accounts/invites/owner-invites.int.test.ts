import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import type { Role } from "@/lib/platform/access/roles";
import { WITHHELD_MAIL_TEXT } from "@/lib/platform/mail/words";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedKey, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(() => own.drop());

type Name = Role | "secondOwner" | "guest";
const ROLES: Record<Name, Role | null> = {
  owner: "owner",
  secondOwner: "owner",
  admin: "admin",
  member: "member",
  guest: null,
};
let people: Record<Name, Person>;
let base: string;
beforeAll(async () => {
  const made = await Promise.all(Object.keys(ROLES).map(async (name) => [name, await seedPerson(name)] as const));
  people = Object.fromEntries(made) as Record<Name, Person>;
});
/** A new workspace for each test, with a user in every role. */
beforeEach(async () => {
  const made = await call("POST", "/api/workspaces", { cookie: people.owner.cookie, body: { name: "Harbour" } });
  const { id } = made.json.data;
  base = `/api/workspaces/${id}`;
  for (const [name, role] of Object.entries(ROLES)) {
    const person = people[name as Name];
    person.workspaceId = id;
    if (role === null || name === "owner") continue;
    const userId = new ObjectId(person.id);
    const membership = { _id: new ObjectId(), workspaceId: workspaceId(), userId, role, joinedAt: new Date() };
    await collections.memberships().insertOne(membership);
  }
});

const invite = (by: Person, role: Role, email = people.guest.email) =>
  call("POST", `${base}/invites`, { cookie: by.cookie, body: { email, role } });
const outbox = (by: Person) => call("GET", `${base}/outbox`, { cookie: by.cookie });
const accept = (link: string, who = people.guest) =>
  call("POST", `/api/invites/${tokenOf(link)}/accept`, { cookie: who.cookie });
const setRole = (who: Person, role: Role) =>
  call("PUT", `${base}/members/${who.id}`, { cookie: people.owner.cookie, body: { role } });
const remove = (who: Person, by = people.owner) => call("DELETE", `${base}/members/${who.id}`, { cookie: by.cookie });
const tokenOf = (link: string) => link.split("/").at(-1) ?? "";
const openInvites = async () =>
  (await call("GET", `${base}/invites`, { cookie: people.owner.cookie })).json.data as { id: string; role: Role }[];
const workspaceId = () => new ObjectId(people.owner.workspaceId);

describe("readers of an invitation link in the outbox (T27)", () => {
  it.each([
    ["owner", "owner", true],
    ["owner", "admin", true],
    ["owner", "member", true],
    ["admin", "owner", false],
    ["admin", "admin", true],
    ["admin", "member", true],
  ] as const)("an %s, for an invitation as %s: %s", async (reader, role, isShown) => {
    const { link } = (await invite(people.owner, role)).json.data;
    const answer = await outbox(people[reader]);
    expect(answer.status).toBe(200);
    const [mail] = answer.json.data.items;
    // The existence of the mail and its recipient are not secret.
    expect(mail).toMatchObject({
      to: [people.guest.email],
      subject: expect.stringContaining("invited you"),
      status: "kept",
    });
    expect(answer.text.includes(tokenOf(link))).toBe(isShown);
    if (isShown) expect([mail.text, mail.html]).toEqual([expect.stringContaining(link), expect.stringContaining(link)]);
    else expect([mail.text, mail.html]).toEqual([WITHHELD_MAIL_TEXT, `<p>${WITHHELD_MAIL_TEXT}</p>`]);
  });

  it.each(["owner", "admin", "member"] as const)("no API key, not even that of an %s", async (role) => {
    const { link } = (await invite(people.owner, "owner")).json.data;
    const answer = await call("GET", `${base}/outbox`, { key: await seedKey(people.owner.workspaceId, people[role]) });
    expect([answer.status, answer.json.code]).toEqual([403, "forbidden"]);
    expect(answer.text).not.toContain(tokenOf(link));
  });

  it("a former owner does not", async () => {
    await invite(people.owner, "owner");
    expect((await outbox(people.secondOwner)).text).toContain("/invites/");
    await setRole(people.secondOwner, "admin");
    expect((await outbox(people.secondOwner)).text).not.toContain("/invites/");
    await setRole(people.secondOwner, "member");
    expect((await outbox(people.secondOwner)).status).toBe(403);
  });

  it("checks each mail by its own role, also after another invitation of the address", async () => {
    const first = (await invite(people.owner, "admin")).json.data.link;
    const second = (await invite(people.owner, "owner")).json.data.link;
    const [raised, before] = (await outbox(people.admin)).json.data.items;
    expect([raised.text, before.text]).toEqual([WITHHELD_MAIL_TEXT, expect.stringContaining(first)]);
    expect((await accept(first)).status).toBe(404);
    expect((await accept(second)).json.data.workspace.role).toBe("owner");
  });

  it("limits a mail without a role to owners", async () => {
    const { link } = (await invite(people.owner, "member")).json.data;
    await collections.mails().updateMany({ workspaceId: workspaceId() }, { $unset: { grants: "" } });
    expect((await outbox(people.admin)).text).not.toContain(tokenOf(link));
    expect((await outbox(people.owner)).text).toContain(tokenOf(link));
  });

  it("shows no link in the list of invitations", async () => {
    const { link } = (await invite(people.owner, "owner")).json.data;
    for (const reader of [people.owner, people.admin]) {
      const list = await call("GET", `${base}/invites`, { cookie: reader.cookie });
      expect([list.status, list.json.data[0].role]).toEqual([200, "owner"]);
      expect(list.text).not.toContain(tokenOf(link));
    }
  });
});

describe("invitations of owners are created and revoked by owners only (T27)", () => {
  it.each([
    ["owner", "owner", 201],
    ["owner", "admin", 201],
    ["owner", "member", 201],
    ["admin", "owner", 403],
    ["admin", "admin", 201],
    ["admin", "member", 201],
    ["member", "member", 403],
    ["member", "owner", 403],
  ] as const)("an %s who invites an %s gets %i", async (by, role, status) => {
    expect((await invite(people[by], role)).status).toBe(status);
    expect((await outbox(people.owner)).json.data.items.length).toBe(status === 201 ? 1 : 0);
  });

  it.each([
    ["owner", "owner", 200],
    ["owner", "member", 200],
    ["admin", "owner", 403],
    ["admin", "admin", 200],
    ["admin", "member", 200],
    ["member", "member", 403],
  ] as const)("an %s who revokes the invitation of an %s gets %i", async (by, role, status) => {
    const { id, link } = (await invite(people.owner, role)).json.data;
    expect((await call("DELETE", `${base}/invites/${id}`, { cookie: people[by].cookie })).status).toBe(status);
    expect((await accept(link)).status).toBe(status === 200 ? 404 : 200);
  });

  it.each(["member", "admin"] as const)("an admin can't replace it by the invitation of an %s", async (role) => {
    const { link } = (await invite(people.owner, "owner")).json.data;
    const answer = await invite(people.admin, role);
    expect([answer.status, answer.json.code]).toEqual([403, "forbidden"]);
    expect((await openInvites()).map((each) => each.role)).toEqual(["owner"]);
    expect((await accept(link)).json.data.workspace.role).toBe("owner");
  });

  it("an expired one blocks no one", async () => {
    await invite(people.owner, "owner");
    await collections.invites().updateMany({ workspaceId: workspaceId() }, { $set: { expiresAt: new Date(0) } });
    expect((await invite(people.admin, "member")).status).toBe(201);
  });

  it("an owner replaces any; an admin those of other roles", async () => {
    expect((await invite(people.admin, "admin")).status).toBe(201);
    expect((await invite(people.admin, "member")).status).toBe(201);
    expect((await invite(people.secondOwner, "owner")).status).toBe(201);
    expect((await invite(people.owner, "member")).status).toBe(201);
    expect((await openInvites()).map((each) => each.role)).toEqual(["member"]);
  });

  it("an address invited by an owner and an admin at once is invited as owner, unless the admin's came first", async () => {
    for (let round = 0; round < 10; round += 1) {
      const email = `both-${round}-${people.guest.email}`;
      const [byOwner, byAdmin] = await Promise.all([
        invite(people.owner, "owner", email),
        invite(people.admin, "member", email),
      ]);
      expect(byOwner.status).toBe(201);
      expect([201, 403]).toContain(byAdmin.status);
      const kept = await collections.invites().find({ workspaceId: workspaceId(), email }).toArray();
      expect(kept.map(({ role }) => role)).toEqual(["owner"]);
    }
  });
});

describe("an invitation is valid while its creator may grant its role (T27)", () => {
  it.each([
    ["owner", "owner", "admin", 404],
    ["owner", "owner", "member", 404],
    ["owner", "admin", "admin", 200],
    ["owner", "member", "admin", 200],
    ["owner", "member", "member", 404],
    ["admin", "admin", "owner", 200],
    ["admin", "admin", "member", 404],
    ["admin", "member", "member", 404],
    ["owner", "owner", null, 404],
    ["admin", "admin", null, 404],
    ["admin", "member", null, 404],
  ] as const)("one by an %s for an %s, once they are %s: %s", async (was, role, is, status) => {
    const maker = was === "owner" ? people.secondOwner : people.admin;
    const { link } = (await invite(maker, role)).json.data;
    expect((is === null ? await remove(maker) : await setRole(maker, is)).status).toBe(200);
    expect((await call("GET", `/api/invites/${tokenOf(link)}`)).status).toBe(status);
    expect((await accept(link)).status).toBe(status);
    expect((await openInvites()).length).toBe(0);
    const membership = { workspaceId: workspaceId(), userId: new ObjectId(people.guest.id) };
    expect(await collections.memberships().countDocuments(membership)).toBe(status === 200 ? 1 : 0);
  });

  it("also if it was created after they had lost the right", async () => {
    const { link } = (await invite(people.secondOwner, "owner")).json.data;
    const userId = new ObjectId(people.secondOwner.id);
    await collections.memberships().updateOne({ workspaceId: workspaceId(), userId }, { $set: { role: "admin" } });
    expect((await call("GET", `/api/invites/${tokenOf(link)}`)).status).toBe(404);
    const answer = await accept(link);
    expect([answer.status, answer.json.code]).toEqual([404, "not_found"]);
  });

  it("reads like an unknown link", async () => {
    const { link } = (await invite(people.secondOwner, "owner")).json.data;
    await setRole(people.secondOwner, "member");
    expect((await accept(link)).text).toBe((await accept("x".repeat(43))).text);
  });
});

describe("links end when their reader loses the right to read them (T27)", () => {
  it.each([
    ["secondOwner", "admin", "owner", 404],
    ["secondOwner", "admin", "admin", 200],
    ["secondOwner", null, "owner", 404],
    ["secondOwner", null, "admin", 404],
    ["secondOwner", null, "member", 200],
    ["admin", "member", "admin", 404],
    ["admin", null, "admin", 404],
    ["admin", null, "member", 200],
    // They have never seen this invitation.
    ["admin", null, "owner", 200],
    ["member", null, "admin", 200],
    ["member", "admin", "owner", 200],
  ] as const)("when the %s becomes %s, another's invitation of an %s returns %i", async (who, is, role, status) => {
    const { link } = (await invite(people.owner, role)).json.data;
    expect((is === null ? await remove(people[who]) : await setRole(people[who], is)).status).toBe(200);
    expect((await accept(link)).status).toBe(status);
  });

  it("and those of other workspaces stay valid", async () => {
    const other = await seedPerson("Other");
    const made = await call("POST", `/api/workspaces/${other.workspaceId}/invites`, {
      cookie: other.cookie,
      body: { email: people.guest.email, role: "owner" },
    });
    await remove(people.secondOwner);
    expect((await accept(made.json.data.link)).status).toBe(200);
  });
});
