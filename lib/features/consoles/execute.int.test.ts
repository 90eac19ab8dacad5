import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/features/instance/collections";
import { writeNow } from "@/lib/features/query/history-writer";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { authorOf, type ConsoleAuthor } from "@/test/fixtures/consoles/console-author";
import { type Person, seedKey, seedPerson } from "@/test/seed";

const dataDir = takeOwnDataDir();
const own = takeOwnDatabase();
let ana: Person;
let author: ConsoleAuthor;
let connectionId = "";
beforeAll(async () => {
  ana = await seedPerson("Ana");
  author = authorOf({ key: await seedKey(ana.workspaceId, ana) }, ana.workspaceId);
  // Use a separate file: the first query builds the sample, which takes long on a busy machine.
  const made = await call("POST", `/api/workspaces/${ana.workspaceId}/connectors`, {
    ...ana,
    body: { name: "own", type: "duckdb", config: { file: "own.duckdb" }, readOnly: false },
  });
  connectionId = made.json.data.id;
});
afterAll(async () => {
  await writeNow();
  await closeServerMember("dataSources");
  await own.drop();
  dataDir.remove();
});

let made = 0;
async function run(content: string, body: Record<string, unknown> = {}) {
  const { id } = await author.make(`c${made++}`, { content, connectionId });
  return author.send("POST", `/${id}/execute`, body);
}

describe("running a console", () => {
  it("is read-only on request", async () => {
    const answer = await run("create table never as select 1 as a", { readOnly: true });
    expect([answer.status, answer.json.code]).toEqual([400, "read_only"]);
    expect((await run("select 1 as a", { readOnly: true })).json.data.rows).toEqual([{ a: 1 }]);
  });

  it("with typed values bound to its variables, also by a key", async () => {
    const answer = await run(
      "select {{t}} as t, {{n}} + 1 as n, {{f}} as f, {{b}} and true as b, {{d}} + interval 1 day as d, {{z}} is null as z, '{{t}}' as s -- {{t}}",
      {
        variables: {
          t: "it's; drop table x --",
          n: 41,
          f: 2.5,
          b: { type: "boolean", value: true },
          d: { type: "date", value: "2024-02-28" },
          z: null,
          unused: 1,
        },
      },
    );
    expect([answer.status, answer.json.error]).toEqual([200, undefined]);
    expect(answer.json.data.rows).toEqual([
      { t: "it's; drop table x --", n: 42, f: 2.5, b: true, d: "2024-02-29T00:00:00", z: true, s: "{{t}}" },
    ]);
    expect(answer.headers.get("x-execution-id")).toBe(answer.json.data.executionId);
  });

  it("with the console's default values, unless the request has others", async () => {
    const variables = { a: 1, since: { type: "date", value: "2026-05-31" } };
    const { id } = await author.make("defaults", {
      content: "select {{a}} as a, {{since}} + interval 1 day as b",
      connectionId,
      variables,
    });
    expect((await author.send("GET", `/${id}`)).json.data).toMatchObject({ variables, description: "", expect: null });
    const rows = async (body?: unknown) => (await author.send("POST", `/${id}/execute`, body)).json.data.rows;
    expect(await rows()).toEqual([{ a: 1, b: "2026-06-01T00:00:00" }]);
    expect(await rows({ variables: { a: 2 } })).toEqual([{ a: 2, b: "2026-06-01T00:00:00" }]);
    await author.save(id, { version: 1, content: "select {{a}} as a" });
    expect(await rows()).toEqual([{ a: 1 }]);
    await author.save(id, { version: 2, variables: null });
    expect((await author.send("POST", `/${id}/execute`)).json.error).toBe("Enter a value for a.");
  });

  it("without the optional clauses whose variables have no value", async () => {
    const content = "select x from range(5) r(x) where true [[and x > {{low}}]] [[and x < {{high}}]] order by x";
    const { id } = await author.make("optional", { content, connectionId, variables: { low: 2 } });
    const rows = async (variables = {}) => {
      const { json } = await author.send("POST", `/${id}/execute`, { variables });
      return json.data.rows.map(({ x }: { x: number }) => Number(x));
    };
    expect(await rows()).toEqual([3, 4]);
    expect(await rows({ high: 4 })).toEqual([3]);
    // Null also removes the default.
    expect(await rows({ low: null })).toEqual([0, 1, 2, 3, 4]);
  });

  it("with date presets, on the day of a time zone", async () => {
    const body = { variables: { day: { type: "date", preset: "today", edge: "end" } } };
    const content = "select cast({{day}} as varchar)[:10] as day";
    const day = async (timezone: string) => (await run(content, { ...body, timezone })).json.data.rows[0].day;
    expect(await day("Pacific/Kiritimati")).not.toBe(await day("Pacific/Pago_Pago"));
    const bad = await run(content, { ...body, timezone: "Mars/Base" });
    expect([bad.status, bad.json.details[0].path]).toEqual([400, "timezone"]);
    const unknown = await run(content, { variables: { day: { type: "date", preset: "someday" } } });
    expect([unknown.status, unknown.json.details[0].path]).toEqual([400, "variables.day"]);
  });

  it("whose variables have lists from other consoles", async () => {
    const { id: listId } = await author.make("statuses", { content: "select 'paid' as status", connectionId });
    const choices = { status: { consoleId: listId, column: "status" } };
    const { id } = await author.make("listed", { content: "select {{status}} as s", connectionId, choices });
    expect((await author.send("GET", `/${id}`)).json.data).toMatchObject({ choices });
    await author.save(id, { version: 1, choices: null });
    expect((await author.send("GET", `/${id}`)).json.data.choices).toEqual({});
    for (const bad of [{ status: { consoleId: "x" } }, { status: {} }, { "a b": { consoleId: listId } }]) {
      const answer = await author.send("PUT", `/${id}`, { version: 2, choices: bad });
      expect([answer.status, answer.json.details[0].path]).toEqual([400, expect.stringMatching(/^choices\./)]);
    }
  });

  it("without a body, in the requested format", async () => {
    const { id } = await author.make("bare", { content: "select 7 as seven", connectionId });
    const path = `/api/workspaces/${ana.workspaceId}/consoles/${id}/execute`;
    const bare = await call("POST", path, ana);
    expect([bare.status, bare.json.error, bare.json.data?.rows]).toEqual([200, undefined, [{ seven: 7 }]]);
    const csv = await callRaw("POST", path, { ...ana, headers: { accept: "text/csv" } });
    expect(await csv.text()).toBe("seven\r\n7\r\n");
  });

  it("as last saved, on its connection or the caller's", async () => {
    const { id } = await author.make("named", { content: "select 1 as x" });
    const without = await author.send("POST", `/${id}/execute`, {});
    expect([without.status, without.json.details[0].path]).toEqual([400, "connectionId"]);
    expect((await author.send("POST", `/${id}/execute`, { connectionId })).json.data.rows).toEqual([{ x: 1 }]);
    await author.save(id, { version: 1, content: "select 2 as x", connectionId });
    expect((await author.send("POST", `/${id}/execute`, {})).json.data.rows).toEqual([{ x: 2 }]);
    expect((await author.send("POST", `/${id}/execute`, { connectionId: "f".repeat(24) })).status).toBe(404);
  });

  it("with the caller's ID and limit", async () => {
    const executionId = randomUUID();
    const answer = await run("select * from range(10)", { executionId, limit: 3 });
    expect(answer.json.data).toMatchObject({ executionId, rowCount: 3, truncated: true });
  });
});

describe("rejecting a console run", () => {
  it("without a value for a variable: each is named, and nothing runs", async () => {
    const answer = await run("select {{first}}, {{second}}, '{{third}}'", { variables: { First: 1 } });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    expect(answer.json.details.map(({ path }: { path: string }) => path)).toEqual([
      "variables.first",
      "variables.second",
    ]);
    await writeNow();
    expect(await collections.executions().countDocuments({ queryText: /first/ })).toBe(0);
  });

  it.each([
    [{ a: { $ne: null } }],
    [{ a: [1] }],
    [{ a: { type: "date", value: "2026-02-30" } }],
    [{ a: { type: "date", value: "yesterday" } }],
    [{ a: { type: "number", value: "one" } }],
    [{ a: { type: "boolean", value: 1 } }],
    [{ a: { type: "sql", value: "1" } }],
    [{ "a b": 1 }],
    ["a"],
    [[1]],
  ])("with variables %j", async (variables) => {
    const answer = await run("select {{a}}", { variables });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  });

  it("when it is empty", async () => {
    expect((await run(" \n ")).json.details[0].path).toBe("content");
  });

  it("by the database, with the position in the console's text", async () => {
    const content = "select {{a_day}} as d,\n  {{n}} as n, nam\nfrom (select 1 as name)";
    const answer = await run(content, { variables: { a_day: { type: "date", value: "2026-05-31" }, n: 1 } });
    expect([answer.status, answer.json.code]).toEqual([400, "query_failed"]);
    expect(answer.json.details).toMatchObject({
      position: content.indexOf("nam\n") + 1,
      line: 2,
      column: (content.split("\n")[1]?.indexOf("nam") as number) + 1,
    });
    expect(answer.headers.get("x-execution-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});
