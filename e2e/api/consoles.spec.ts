import { randomUUID } from "node:crypto";
import type { Answer, Api } from "./client";
import { expect, expectError, join, newKey, sampleOf, test } from "./fixtures";

/** Sends requests and records the operation of the API reference of each. */
function recorder(api: Api, home: string) {
  const done = new Set<string>();
  const ask = async (method: string, path: string, status: number, json?: unknown) => {
    const answer = await api.send(method, `${home}${path}`, { json });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(status);
    done.add(`${method} ${path.split("?")[0]}`);
    return answer;
  };
  return { ask, done };
}

/** Returns the operations of the API reference below the workspace's consoles, with ids in place of parameters. */
function listOperations(openapi: Answer, ids: Record<string, string>): string[] {
  return Object.entries<Record<string, { tags?: string[] }>>(openapi.json.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => tags?.includes("Consoles"))
      .map(([method]) => {
        const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? `{${name}}`);
        return `${method.toUpperCase()} ${filled.replace("/api/workspaces/{workspaceId}", "")}`;
      }),
  );
}

test("allows every console action with a key, as the API reference lists", async ({ owner }) => {
  const { api } = await newKey(owner);
  const { ask, done } = recorder(api, owner.home);
  const connectionId = await sampleOf(owner);
  const data = async (answer: Promise<Answer>) => (await answer).json.data;

  // Folders, a console in one of them, and its form in the lists.
  const folder = await data(ask("POST", "/consoles/folders", 201, { name: "Reports" }));
  const content = "select name from products where id = {{id}}";
  const chart = { mark: "bar", encoding: { x: { field: "name" } } };
  const body = { name: "one.sql", content, connectionId, folderId: folder.id, chart, message: "Begin" };
  const made = await data(ask("POST", "/consoles", 201, body));
  expect(made).toMatchObject({ path: "Reports/one", ownerId: owner.id, version: 1, content, chart });
  const at = `/consoles/${made.id}`;
  const listed = await data(ask("GET", "/consoles", 200));
  expect(listed.map(({ id }: { id: string }) => id)).toContain(made.id);
  expect(listed[0]).not.toHaveProperty("content");
  expect(await data(ask("GET", "/consoles/folders", 200))).toMatchObject([{ name: "Reports" }]);
  expect(await data(ask("GET", at, 200))).toEqual(made);
  expect(JSON.stringify(await data(ask("GET", `/consoles/tree?folderId=${folder.id}`, 200)))).toContain(made.id);
  expect(JSON.stringify(await data(ask("GET", "/consoles/lookup?q=one", 200)))).toContain(made.id);

  // A draft is not a commit; a save is one, with its message; a stale one shows the current console.
  await ask("PUT", `${at}/draft`, 200, { content: "select 2", version: 1 });
  expect(await data(ask("GET", `${at}/draft`, 200))).toMatchObject({ content: "select 2", version: 1 });
  await ask("DELETE", `${at}/draft`, 200);
  expect(await data(ask("GET", `${at}/draft`, 200))).toBeNull();
  const saved = await data(ask("PUT", at, 200, { version: 1, content: `${content} -- now`, message: "Say when" }));
  const stale = await ask("PUT", at, 409, { version: 1, content: "select 'lost'" });
  expect(stale.json.details.current).toEqual(saved);
  expect(await data(ask("GET", "/consoles/search?q=say%20products", 200))).toEqual([]);
  expect(await data(ask("GET", "/consoles/search?q=products", 200))).toMatchObject([
    { id: made.id, snippet: { line: 1 } },
  ]);

  // Values are bound, and every format has the complete result.
  const variables = { id: { type: "number", value: 1 } };
  expect((await data(ask("POST", `${at}/execute`, 200, { variables }))).rowCount).toBe(1);
  expectError(await api.post(`${owner.home}${at}/execute`, {}), 400, "invalid_request");
  for (const accept of ["text/csv", "application/x-ndjson", "application/vnd.apache.arrow.stream"]) {
    const executionId = randomUUID();
    const streamed = await api.post(`${owner.home}${at}/execute`, { variables, executionId }, { headers: { accept } });
    expect(streamed.status).toBe(200);
    expect(streamed.headers["content-type"]).toContain(accept);
    expect(streamed.headers["x-execution-id"]).toBe(executionId);
  }

  // The last result is stored with it, shortly after the answer.
  await expect.poll(async () => (await api.get(`${owner.home}${at}/result`)).json.data?.rows.length).toBe(1);
  await ask("GET", `${at}/result`, 200);

  // Rename, move, share, and back.
  const moved = await data(ask("PUT", at, 200, { version: 2, name: "two.sql", folderId: null }));
  expect(moved).toMatchObject({ path: "two", folderId: null });
  expect((await data(ask("PUT", at, 200, { version: 3, access: "workspace" }))).access).toBe("workspace");
  expect((await data(ask("PUT", at, 200, { version: 4, access: "private" }))).access).toBe("private");
  const renamed = await data(ask("PATCH", `/consoles/folders/${folder.id}`, 200, { name: "Old reports" }));
  expect(renamed.path).toBe("Old reports");

  // History follows the rename; one commit's change; an older text as a new commit.
  const { items } = await data(ask("GET", `${at}/git/history?limit=50`, 200));
  expect(items.map(({ subject }: { subject: string }) => subject)).toEqual([
    "Make two private",
    "Share two",
    "Move Reports/one to two",
    "Say when",
    "Begin",
  ]);
  const change = await data(ask("GET", `${at}/git/commit?sha=${items[3].sha}`, 200));
  expect(change).toMatchObject({
    message: "Say when\n",
    author: { name: "Ines Okafor", email: owner.email },
    files: [{ status: "modified", before: content, after: `${content} -- now` }],
  });
  const restored = await data(ask("POST", `${at}/git/restore`, 200, { sha: items[4].sha }));
  expect(restored).toMatchObject({ version: 6, content });

  // In the background, also by a schedule; a finished run cannot be cancelled.
  const timing = { cron: "0 7 * * *", timezone: "Europe/Vienna" };
  expect(await data(ask("PUT", `${at}/schedule`, 200, timing))).toMatchObject({ ...timing, enabled: true });
  const { run } = await data(ask("POST", `${at}/schedule/run`, 202));
  expect(run).toMatchObject({ triggerType: "api" });
  // Its text has a variable without a value.
  await expect
    .poll(async () => (await data(api.get(`${owner.home}${at}/runs`))).items[0].status, { timeout: 30_000 })
    .toBe("failure");
  await ask("GET", `${at}/runs`, 200);
  expect(await data(ask("GET", `${at}/runs/${run.id}`, 200))).toMatchObject({ id: run.id, status: "failure" });
  await ask("POST", `${at}/runs/${run.id}/cancel`, 409);
  await ask("DELETE", `${at}/schedule`, 200);

  // A copy, an undone deletion, and a folder that is deleted with its contents.
  const copy = await data(ask("POST", `${at}/duplicate`, 201));
  expect(copy).toMatchObject({ name: "two copy.sql", version: 1, chart });
  await ask("DELETE", at, 200);
  await ask("GET", at, 404);
  expect(await data(ask("POST", `${at}/restore`, 200, { folderId: folder.id }))).toMatchObject({ id: made.id });
  await ask("DELETE", `/consoles/folders/${folder.id}`, 409);
  await ask("DELETE", `/consoles/folders/${folder.id}?recursive=true`, 200);
  await ask("GET", at, 404);

  // This test called every operation of the reference, and no other.
  const operations = listOperations(await api.get("/api/openapi.json"), {
    consoleId: made.id,
    folderId: folder.id,
    runId: run.id,
  });
  expect(operations.length).toBeGreaterThan(15);
  expect([...done].sort()).toEqual(operations.sort());
});

test("acts as the key's creator: hides others' private consoles and signs commits with their name", async ({
  owner,
}) => {
  const member = await join(owner, "member");
  const hidden = await member.api.post(`${owner.home}/consoles`, { name: "mine.sql", content: "select 'member'" });
  expect(hidden.status).toBe(201);
  const { api } = await newKey(owner);
  expectError(await api.get(`${owner.home}/consoles/${hidden.json.data.id}`), 404, "not_found");
  const made = await api.post(`${owner.home}/consoles`, { name: "by key.sql", content: "", access: "workspace" });
  const history = await member.api.get(`${owner.home}/consoles/${made.json.data.id}/git/history`);
  expect(history.json.data.items[0].author).toEqual({ name: "Ines Okafor", email: owner.email });
});
