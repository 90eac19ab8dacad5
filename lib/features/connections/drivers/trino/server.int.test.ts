import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, change, type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import type { QueryableSource } from "../../data-source";

/* The server is the first guard: it refuses everything that our guard refuses. */

const WRITES = [
  "insert into guarded values (9, 'x')",
  "insert into guarded select * from guarded",
  "delete from guarded",
  "delete from guarded where id = 1",
  "update guarded set v = 'x'",
  "truncate table guarded",
  "drop table guarded",
  "drop table if exists guarded",
  "alter table guarded rename to other",
  "alter table guarded add column w int",
  "alter table guarded rename column v to w",
  "alter table guarded drop column v",
  "comment on table guarded is 'x'",
  "create table evil (a int)",
  "create table evil as select 1 as a",
  "create view evil as select 1 as a",
  "create or replace view evil as select 1 as a",
  "create materialized view evil as select 1 as a",
  "create schema evil",
  "drop schema default",
  "analyze guarded",
  "grant select on guarded to public",
  "revoke select on guarded from public",
  "create role evil",
  "explain analyze insert into guarded values (9, 'x')",
  "explain analyze create table evil as select 1 as a",
  "call system.runtime.kill_query('20200101_000000_00000_aaaaa', 'x')",
  "start transaction read write",
];

let subject: Subject | null = null;
let writer: QueryableSource;
beforeAll(async () => {
  subject = await startSubject("trino");
  if (!subject) return;
  writer = await subject.open(false);
  await change(writer, "create table guarded (id int, v varchar(20))", "insert into guarded values (1, 'a'), (2, 'b')");
}, 60_000);
afterAll(async () => {
  await writer?.close();
  await subject?.stop();
});

type Page = { nextUri?: string; error?: { errorName: string } };

/** Sends a statement as our driver does, but without our guard. */
async function send(statement: string, transaction: string): Promise<{ error: string | null; started: string | null }> {
  const { host, port, user, catalog, schema } = subject?.config ?? {};
  const headers = {
    "X-Trino-User": String(user),
    "X-Trino-Catalog": String(catalog),
    "X-Trino-Schema": String(schema),
    "X-Trino-Transaction-Id": transaction,
  };
  let response = await fetch(`http://${host}:${port}/v1/statement`, { method: "POST", headers, body: statement });
  let started: string | null = null;
  for (;;) {
    const { nextUri, error } = (await response.json()) as Page;
    started = response.headers.get("x-trino-started-transaction-id") ?? started;
    if (error || nextUri === undefined) return { error: error?.errorName ?? null, started };
    response = await fetch(nextUri, { headers });
  }
}

test(`T50 changes nothing with any of ${WRITES.length} statements, even without our guard`, async (context) => {
  if (!subject) return context.skip();
  const passed: string[] = [];
  for (const statement of WRITES) {
    const { started } = await send("start transaction read only", "NONE");
    if (started === null) throw new Error("No transaction was begun.");
    if ((await send(statement, started)).error === null) passed.push(statement);
    await send("commit", started);
  }
  expect(passed).toEqual([]);
  expect((await ask(writer, "select * from guarded order by id")).rows).toEqual([
    [1, "a"],
    [2, "b"],
  ]);
  const tables = "select table_name from information_schema.tables where table_schema = current_schema";
  expect((await ask(writer, tables)).rows).toEqual([["guarded"]]);
}, 60_000);

test("accepts a statement with values as long as the server does", async (context) => {
  if (!subject) return context.skip();
  const { serverVersion } = await writer.test(new AbortController().signal);
  const asked = ask(writer, `select '${"x".repeat(8000)}' = ?`, { params: ["x"] });
  // EXECUTE IMMEDIATE was added in 418.
  if (Number(serverVersion?.match(/\d+/)?.[0]) >= 418) expect((await asked).rows).toEqual([[false]]);
  else await expect(asked).rejects.toMatchObject({ kind: "invalid_request", message: expect.stringContaining("418") });
});

test("T47 reports an unknown catalog or schema", async (context) => {
  if (!subject) return context.skip();
  const { driver, config } = subject;
  for (const name of ["catalog", "schema"]) {
    const context = { workspaceId: "w", connectionId: "c", config: { ...config, [name]: "nowhere" }, readOnly: true };
    const source = await driver.open(context);
    await expect(source.test(new AbortController().signal)).rejects.toMatchObject({
      message: expect.stringContaining("nowhere"),
    });
    await source.close();
  }
});
