import { afterAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
afterAll(() => own.drop());

const me = (cookie: string) => call("GET", "/api/auth/me", { cookie });

describe("one's name", () => {
  const rename = (cookie: string, body: object) => call("PATCH", "/api/auth/me", { cookie, body });

  it("applies from then on, for oneself and teammates, and changes no one else", async () => {
    const [person, other] = [await seedPerson(), await seedPerson()];
    const before = (await me(other.cookie)).json.data.user;
    const answer = await rename(person.cookie, { name: "  Ana López ", email: "x@example.com", _id: other.id });
    expect([answer.status, answer.json.data]).toEqual([
      200,
      { ...(await me(person.cookie)).json.data.user, name: "Ana López", email: person.email },
    ]);
    const details = await call("GET", `/api/workspaces/${person.workspaceId}`, { cookie: person.cookie });
    expect(details.json.data.members).toContainEqual(expect.objectContaining({ userId: person.id, name: "Ana López" }));
    expect((await me(other.cookie)).json.data.user).toEqual(before);
  });

  it.each([
    ["blank", "  ", 400],
    ["120 characters", "x".repeat(120), 200],
    ["121 characters", "x".repeat(121), 400],
    ["no text", 7, 400],
  ])("applies the limits to a name: %s", async (_, name, status) => {
    const person = await seedPerson();
    const answer = await rename(person.cookie, { name });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json.details).toContainEqual(expect.objectContaining({ path: "name" }));
  });

  it("requires a session", async () => {
    expect((await rename("auth_session=nobody", { name: "Ana" })).status).toBe(401);
  });
});
