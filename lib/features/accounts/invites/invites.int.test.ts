import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(() => own.drop());

let owner: Person;
let base: string;
beforeAll(async () => {
  owner = await seedPerson("Owner");
  base = `/api/workspaces/${owner.workspaceId}`;
});

const invite = (email: string, by = owner, role = "member") =>
  call("POST", `${base}/invites`, { cookie: by.cookie, body: { email, role } });
const tokenOf = (link: string) => link.split("/").at(-1) ?? "";
const accept = (token: string, who: Person) => call("POST", `/api/invites/${token}/accept`, { cookie: who.cookie });

it("mails a link by which the invited address joins with the role", async () => {
  const guest = await seedPerson("Guest");
  const made = await invite(guest.email, owner, "admin");
  expect(made.status).toBe(201);
  expect(made.json.data).toMatchObject({ email: guest.email, role: "admin", mail: "kept" });

  const outbox = (await call("GET", `${base}/outbox`, { cookie: owner.cookie })).json.data;
  expect(outbox.items[0]).toMatchObject({ to: [guest.email], status: "kept" });
  expect(outbox.items[0].text).toContain(made.json.data.link);
  expect(made.json.data.link).toMatch(/^http:\/\/localhost:3000\/invites\/[\w-]{43}$/);

  const token = tokenOf(made.json.data.link);
  expect((await call("GET", `/api/invites/${token}`)).json.data).toMatchObject({
    workspaceName: "Owner's workspace",
    email: guest.email,
  });
  const accepted = await accept(token, guest);
  expect([accepted.status, accepted.json.data.workspace.role]).toEqual([200, "admin"]);
  expect((await call("GET", base, { cookie: guest.cookie })).status).toBe(200);
  expect((await accept(token, guest)).status).toBe(404);
});

it("stores only the hash of the token", async () => {
  const token = tokenOf((await invite("hash@example.com")).json.data.link);
  const stored = JSON.stringify(await collections.invites().find({}).toArray());
  expect(stored).not.toContain(token);
});

it("rejects another address's account, and stays valid", async () => {
  const guest = await seedPerson("Guest");
  const other = await seedPerson("Other");
  const token = tokenOf((await invite(guest.email)).json.data.link);
  expect((await accept(token, other)).status).toBe(403);
  expect((await accept(token, guest)).status).toBe(200);
});

it("replaces an earlier invitation of the address, whose link ends", async () => {
  const guest = await seedPerson("Guest");
  const first = tokenOf((await invite(guest.email)).json.data.link);
  const second = tokenOf((await invite(guest.email)).json.data.link);
  expect((await accept(first, guest)).status).toBe(404);
  expect((await accept(second, guest)).status).toBe(200);
});

it("expires after seven days, and ends on revocation", async () => {
  const guest = await seedPerson("Guest");
  const made = (await invite(guest.email)).json.data;
  await collections
    .invites()
    .updateOne({ _id: new ObjectId(made.id) }, { $set: { expiresAt: new Date(Date.now() - 1) } });
  expect((await accept(tokenOf(made.link), guest)).status).toBe(404);

  const again = (await invite(guest.email)).json.data;
  expect((await call("DELETE", `${base}/invites/${again.id}`, { cookie: owner.cookie })).status).toBe(200);
  expect((await accept(tokenOf(again.link), guest)).status).toBe(404);
});

it("is accepted once by concurrent clicks", async () => {
  const guest = await seedPerson("Guest");
  const token = tokenOf((await invite(guest.email)).json.data.link);
  const statuses = (await Promise.all(Array.from({ length: 4 }, () => accept(token, guest)))).map(
    ({ status }) => status,
  );
  expect(statuses.sort()).toEqual([200, 404, 404, 404]);
});

it("returns 409 for a member, and lets only owners invite owners", async () => {
  const admin = await seedMember(owner.workspaceId, "admin");
  expect((await invite(admin.email)).status).toBe(409);
  expect((await invite("boss@example.com", admin, "owner")).status).toBe(403);
  expect((await invite("boss@example.com", owner, "owner")).status).toBe(201);
});
