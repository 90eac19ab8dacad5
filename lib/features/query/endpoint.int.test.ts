import { afterAll, beforeAll, expect, it } from "vitest";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { type Person, seedPerson } from "@/test/seed";
import { writeNow } from "./history-writer";

const dataDir = takeOwnDataDir();
const own = takeOwnDatabase();
let ana: Person;
let connectionId = "";
beforeAll(async () => {
  ana = await seedPerson("Ana");
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

const run = (body: Record<string, unknown>) =>
  call("POST", `/api/workspaces/${ana.workspaceId}/databases/${connectionId}/execute`, { ...ana, body });

it("binds variables of an ad-hoc query, on both paths", async () => {
  const body = {
    query: "select {{n}} + 1 as n, {{t}} as t -- {{t}}",
    variables: { n: 41, t: "it's; drop table x --" },
  };
  expect((await run(body)).json.data.rows).toEqual([{ n: 42, t: "it's; drop table x --" }]);
  const { workspaceId } = ana;
  const other = await call("POST", "/api/execute", { ...ana, body: { ...body, workspaceId, connectionId } });
  expect(other.json.data.rows).toEqual([{ n: 42, t: "it's; drop table x --" }]);
});

it("reports the position of a failure in the original text", async () => {
  const query = "select {{a_long_name}} as n,\n  nam from (select 1 as name)";
  const answer = await run({ query, variables: { a_long_name: 1 } });
  expect([answer.status, answer.json.code]).toEqual([400, "query_failed"]);
  expect(answer.json.details).toMatchObject({ position: query.indexOf("nam ") + 1, line: 2, column: 3 });
});

it.each([
  [{ query: "select {{a}}, {{b}}", variables: { a: 1 } }, "variables.b"],
  [{ query: "select {{a}}, ?", variables: { a: 1 }, params: [2] }, "variables"],
  [{ query: { find: "x" }, variables: {} }, "variables"],
  [{ query: "select {{a}}", variables: { a: { $ne: null } } }, "variables.a"],
])("rejects %j by its field", async (body, path) => {
  const answer = await run(body);
  expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  expect(answer.json.details[0].path).toBe(path);
});

it("leaves a text without variables to the database", async () => {
  expect((await run({ query: "select '{{a}}' as a" })).json.data.rows).toEqual([{ a: "{{a}}" }]);
});

it("restricts a writable connection by readOnly, on both paths, also for a measured plan", async () => {
  expect((await run({ query: "create table kept as select 1 as a" })).status).toBe(200);
  const { workspaceId } = ana;
  for (const query of ["delete from kept", "explain analyze delete from kept"]) {
    const answers = [
      await run({ query, readOnly: true }),
      await call("POST", "/api/execute", { ...ana, body: { query, workspaceId, connectionId, readOnly: true } }),
    ];
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
      [400, "read_only"],
      [400, "read_only"],
    ]);
  }
  expect((await run({ query: "select count(*) as n from kept", readOnly: true })).json.data.rows).toEqual([{ n: 1 }]);
  expect((await run({ query: "select 1", readOnly: "yes" })).status).toBe(400);
  expect((await run({ query: "delete from kept", readOnly: false })).status).toBe(200);
});

it("does not make a read-only connection writable by readOnly false", async () => {
  const url = `/api/workspaces/${ana.workspaceId}/connectors`;
  const made = await call("POST", url, { ...ana, body: { name: "r", type: "duckdb", config: { file: "own.duckdb" } } });
  const answer = await call("POST", `/api/workspaces/${ana.workspaceId}/databases/${made.json.data.id}/execute`, {
    ...ana,
    body: { query: "create table evil as select 1 as a", readOnly: false },
  });
  expect([answer.status, answer.json.code]).toEqual([400, "read_only"]);
});
