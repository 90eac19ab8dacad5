import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import { digestDatabase } from "./dump";

process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

type World = {
  person: Person;
  base: string;
  connectionId: string;
  keyId: string;
  inviteId: string;
  executionId: string;
  consoleId: string;
  folderId: string;
};
type Ids = Omit<World, "person" | "base"> & { userId: string };

async function seedWorkspace(name: string): Promise<World> {
  const person = await seedPerson(name);
  const base = `/api/workspaces/${person.workspaceId}`;
  const make = async (path: string, body: object) => {
    const answer = await call("POST", base + path, { cookie: person.cookie, body });
    if (answer.status !== 201 && answer.status !== 200) throw new Error(answer.text);
    return answer.json.data;
  };
  const config = { name: "Stock", type: "duckdb", config: { file: `${name}.duckdb` }, readOnly: false };
  const connectionId = (await make("/connectors", config)).id;
  await make(`/databases/${connectionId}/execute`, { query: "select 1" });
  const [execution] = (await call("GET", `${base}/executions`, { cookie: person.cookie })).json.data.items;
  return {
    person,
    base,
    connectionId,
    keyId: (await make("/api-keys", { name: "Key" })).id,
    inviteId: (await make("/invites", { email: "guest@example.com" })).id,
    executionId: execution.executionId ?? execution.id,
    consoleId: (await make("/consoles", { name: "query", content: "select 1", access: "workspace" })).id,
    folderId: (await make("/consoles/folders", { name: "folder", access: "workspace" })).id,
  };
}

let mine: World;
let theirs: World;
let theirMember: Person;
beforeAll(async () => {
  [mine, theirs] = await Promise.all([seedWorkspace("Mine"), seedWorkspace("Theirs")]);
  theirMember = await seedMember(theirs.person.workspaceId, "admin");
});

type Attempt = { method: string; path: string; body?: object };
const ABSENT = { id: "f".repeat(24), uuid: "00000000-0000-4000-8000-000000000000" };

describe("another workspace's id, from inside of one's own (T25, T26)", () => {
  const attempts: Record<string, (base: string, ids: Ids) => Attempt> = {
    "a connection, read": (base, { connectionId }) => ({ method: "GET", path: `${base}/connectors/${connectionId}` }),
    "a connection's tables": (base, { connectionId }) => ({
      method: "GET",
      path: `${base}/connectors/${connectionId}/entities`,
    }),
    "a connection, changed": (base, { connectionId }) => ({
      method: "PATCH",
      path: `${base}/connectors/${connectionId}`,
      body: { name: "Taken" },
    }),
    "a connection, tested": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/connections/sources/${connectionId}/test`,
    }),
    "a connection, deleted": (base, { connectionId }) => ({
      method: "DELETE",
      path: `${base}/connections/sources/${connectionId}?force=true`,
    }),
    "a connection, queried": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/databases/${connectionId}/execute`,
      body: { query: "select 1" },
    }),
    "a connection, named in a body": (_, { connectionId }) => ({
      method: "POST",
      path: "/api/execute",
      body: { workspaceId: mine.person.workspaceId, connectionId, query: "select 1" },
    }),
    "a query, read": (base, { executionId }) => ({ method: "GET", path: `${base}/executions/${executionId}` }),
    "a running query": (base, { executionId }) => ({
      method: "POST",
      path: `${base}/executions/${executionId}/cancel`,
    }),
    "an API key": (base, { keyId }) => ({ method: "DELETE", path: `${base}/api-keys/${keyId}` }),
    "an invitation": (base, { inviteId }) => ({ method: "DELETE", path: `${base}/invites/${inviteId}` }),
    "a member, promoted": (base, { userId }) => ({
      method: "PUT",
      path: `${base}/members/${userId}`,
      body: { role: "owner" },
    }),
    "a console, executed with a connection": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/consoles/${mine.consoleId}/execute`,
      body: { connectionId },
    }),
    "a connection, given to a new console": (base, { connectionId }) => ({
      method: "POST",
      path: `${base}/consoles`,
      body: { name: "new", content: "select 1", connectionId },
    }),
    "a connection, given to a console": (base, { connectionId }) => ({
      method: "PUT",
      path: `${base}/consoles/${mine.consoleId}`,
      body: { version: 1, connectionId },
    }),
    "a folder, for a new console": (base, { folderId }) => ({
      method: "POST",
      path: `${base}/consoles`,
      body: { name: "new", content: "select 1", folderId },
    }),
    "a folder, for a console that moves": (base, { folderId }) => ({
      method: "PUT",
      path: `${base}/consoles/${mine.consoleId}`,
      body: { version: 1, folderId },
    }),
    "a folder, for a new folder": (base, { folderId }) => ({
      method: "POST",
      path: `${base}/consoles/folders`,
      body: { name: "new", parentId: folderId },
    }),
    "a folder, for a folder that moves": (base, { folderId }) => ({
      method: "PATCH",
      path: `${base}/consoles/folders/${mine.folderId}`,
      body: { parentId: folderId },
    }),
    "a member, removed": (base, { userId }) => ({ method: "DELETE", path: `${base}/members/${userId}` }),
  };

  it.each(Object.keys(attempts))("%s: 404, as for an id that never was, and nothing changes", async (name) => {
    const attempt = attempts[name];
    if (!attempt) throw new Error(name);
    const before = await digestDatabase();
    const ask = (ids: Ids) => {
      const { method, path, body } = attempt(mine.base, ids);
      return call(method, path, { cookie: mine.person.cookie, body });
    };
    const foreign = await ask({ ...theirs, userId: theirMember.id });
    const { id, uuid } = ABSENT;
    const absent = { connectionId: id, keyId: id, inviteId: id, userId: id, consoleId: id, folderId: id };
    const missing = await ask({ ...absent, executionId: uuid });
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect(await digestDatabase()).toEqual(before);
  });

  it("a workspace, named in a body: 403, as for one that never was", async () => {
    const before = await digestDatabase();
    const ask = (workspaceId: string) =>
      call("POST", "/api/execute", {
        cookie: mine.person.cookie,
        body: { workspaceId, connectionId: theirs.connectionId, query: "select 1" },
      });
    const [foreign, missing] = [await ask(theirs.person.workspaceId), await ask(ABSENT.id)];
    expect([foreign.status, foreign.text]).toEqual([403, missing.text]);
    expect(await digestDatabase()).toEqual(before);
  });

  it("a list's cursor of another workspace shows nothing of it", async () => {
    const [execution] = (await call("GET", `${theirs.base}/executions`, { cookie: theirs.person.cookie })).json.data
      .items;
    for (const list of ["executions", "outbox"]) {
      const page = await call("GET", `${mine.base}/${list}?cursor=${execution.id}`, { cookie: mine.person.cookie });
      expect([200, 400]).toContain(page.status);
      expect(page.text).not.toContain(theirs.connectionId);
    }
  });
});
