import { randomUUID } from "node:crypto";
import { test as base, expect } from "@playwright/test";
import { type Answer, Api, sessionIn } from "./client";

export { expect };

/** A user with an account, a session, and the first workspace, which registering created. */
export type Person = {
  readonly api: Api;
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly session: string;
  /** Id of the user's workspace. */
  readonly workspaceId: string;
  /** `/api/workspaces/{id}` of that workspace. */
  readonly home: string;
};

type Fixtures = {
  /** Anonymous: no cookie and no key. */
  anyone: Api;
  owner: Person;
  /** A user of another workspace. */
  stranger: Person;
};
type WorkerFixtures = {
  /** The address of the service under test. */
  service: string;
  /** A user for all tests of a worker that only read, each with separate objects. */
  reader: Person;
};

export const test = base.extend<Fixtures, WorkerFixtures>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
    async ({}, use, { project }) => {
      await use(String(project.use.baseURL).replace("localhost", "127.0.0.1"));
    },
    { scope: "worker" },
  ],
  reader: [async ({ service }, use) => use(await register(new Api(service))), { scope: "worker" }],
  anyone: async ({ service }, use) => use(new Api(service)),
  owner: async ({ anyone }, use) => use(await register(anyone)),
  stranger: async ({ anyone }, use) => use(await register(anyone)),
});

export const PASSWORD = "seven herons by the mill";

/** A well-formed id that names nothing. */
export const NO_SUCH_ID = "0123456789abcdef01234567";

export function newEmail(): string {
  return `api-${randomUUID()}@example.com`;
}

export async function register(api: Api, email = newEmail(), password = PASSWORD): Promise<Person> {
  const answer = await api.post("/api/auth/register", { email, password, name: "Ines Okafor" });
  expect(answer.status, answer.text).toBe(201);
  const session = sessionIn(answer) ?? "";
  const { user, workspace } = answer.json.data;
  return {
    api: api.withSession(session),
    id: user.id,
    email,
    password,
    session,
    workspaceId: workspace.id,
    home: `/api/workspaces/${workspace.id}`,
  };
}

/** Returns the token of the newest invitation mailed to this address. */
export async function invitationFor(owner: Person, email: string): Promise<string> {
  const { json } = await owner.api.get(`${owner.home}/outbox`);
  const mail = json.data.items.find(({ to }: { to: string[] }) => to.includes(email));
  const [, token] = /\/invites\/([\w-]+)/.exec(mail?.text ?? "") ?? [];
  expect(token, "the outbox holds an invitation with a link").toBeTruthy();
  return token ?? "";
}

/** Registers a new user, and invites them to the owner's workspace. */
export async function join(owner: Person, role: "owner" | "admin" | "member"): Promise<Person> {
  const person = await register(new Api(owner.api.base.href));
  // An owner starts as a member, so that this does not depend on the rules for invitations.
  const invited = role === "owner" ? "member" : role;
  expect((await owner.api.post(`${owner.home}/invites`, { email: person.email, role: invited })).status).toBe(201);
  const token = await invitationFor(owner, person.email);
  expectOk(await person.api.post(`/api/invites/${token}/accept`));
  if (role === "owner") expectOk(await owner.api.put(`${owner.home}/members/${person.id}`, { role }));
  return person;
}

/** Creates an API key in the user's workspace. @returns it with its id */
export async function newKey(person: Person, home = person.home): Promise<{ key: string; id: string; api: Api }> {
  const answer = await person.api.post(`${home}/api-keys`, { name: "a key" });
  expect(answer.status, answer.text).toBe(201);
  const { key, id } = answer.json.data;
  return { key, id, api: person.api.withKey(key) };
}

/** Creates a connection in the user's workspace; default: an empty writable DuckDB file. */
export async function newConnection(
  person: Person,
  settings: { type?: string; config?: object; readOnly?: boolean; name?: string } = {},
): Promise<string> {
  const { type = "duckdb", readOnly = false, name = "a file" } = settings;
  const config = settings.config ?? { file: `${randomUUID()}.${type === "duckdb" ? "duckdb" : "db"}` };
  const answer = await person.api.post(`${person.home}/connectors`, { name, type, config, readOnly });
  expect(answer.status, answer.text).toBe(201);
  return answer.json.data.id;
}

/** Returns the id of the sample connection of a first workspace. */
export async function sampleOf(person: Person): Promise<string> {
  const { json } = await person.api.get(`${person.home}/connectors`);
  const sample = json.data.find(({ name }: { name: string }) => name === "Sample shop");
  expect(sample, "the workspace has the sample").toBeTruthy();
  return sample.id;
}

export function expectOk(answer: Answer): void {
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json.success).toBe(true);
}

/** Expects the failure envelope (docs/develop/api.md, Common rules), without other fields. */
export function expectError(answer: Answer, status: number, code?: string): void {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers["content-type"]).toMatch(/^application\/json\b/);
  const body = answer.json;
  expect(body.success).toBe(false);
  expect(typeof body.error).toBe("string");
  expect(body.error).not.toBe("");
  expect(body.code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  if (code !== undefined) expect(body.code).toBe(code);
  expect(Object.keys(body).filter((key) => !["success", "error", "code", "details"].includes(key))).toEqual([]);
  expect(answer.text).not.toMatch(/\n\s+at |node_modules|\.(ts|js|mjs):\d+/);
}

/** Expects a rejection of input that names the fields and the problem of each. */
export function expectInvalid(answer: Answer, code?: string): void {
  expectError(answer, 400, code);
  const { details } = answer.json;
  expect(Array.isArray(details), answer.text).toBe(true);
  for (const detail of details) {
    expect(detail).toEqual({ path: expect.anything(), message: expect.any(String) });
  }
}

export const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const ID = /^[0-9a-f]{24}$/;
