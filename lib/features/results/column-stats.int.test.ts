import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import type { ResultField } from "@/lib/base/values/json-rows";
import { readColumnStats } from "@/lib/features/results/browser/engine-stats";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { startMariaDb } from "@/test/servers/mariadb";
import { startPostgres, type TestServer } from "@/test/servers/postgres";

/* Statistics of a column as each database computes them over a statement, read-only through the API. */

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
let ana: FlowAuthor;
const servers: TestServer[] = [];
const ids: Record<string, string> = {};
beforeAll(async () => {
  await databaseReady();
  ana = await flowAuthor();
  for (const [type, server] of [["postgres", await startPostgres()], ["mysql", await startMariaDb()]] as const) {
    if (!server) throw new Error(`These tests need ${type}.`);
    servers.push(server);
    const { host, port, database, user, password } = server;
    ids[type] = await ana.connect(type, { host, port, database, user, password, ssl: "disable" });
  } // biome-ignore format: short
  ids.sqlite = await ana.file("sqlite");
  ids.duckdb = await ana.file("duckdb");
}, 240_000);
afterAll(async () => {
  await closeServerMember("dataSources");
  for (const server of servers) await server.stop();
  await own.drop();
});

const DIALECTS: Record<string, SqlDialect> = {
  postgres: "postgres",
  mysql: "mysql",
  sqlite: "sqlite",
  duckdb: "duckdb",
};

/** A hundred rows: n from -10 to 89, a word of three, and one row without values. */
const ROWS = `with recursive c(n) as (select -10 union all select n + 1 from c where n < 89)
select n, case when n % 2 = 0 then 'even' else 'odd' end as word from c
union all select null, null -- the last row
;`;

describe.each(Object.keys(DIALECTS))("column statistics of %s", (type) => {
  const dialect = DIALECTS[type] as SqlDialect;
  const read = async (query: string) => {
    const body = { query, readOnly: true, limit: 20 };
    const answer = await call("POST", `${ana.home}/databases/${ids[type]}/execute`, {
      cookie: ana.person.cookie,
      body,
    });
    if (answer.status !== 200) throw new Error(answer.json.error);
    return answer.json.data.rows;
  };
  const statsOf = (text: string, field: ResultField) => readColumnStats({ text, dialect }, field, read);

  it("counts numbers in bars, with nulls, extremes, sum and average", async () => {
    const stats = await statsOf(ROWS, { name: "n", type: "int32" });
    expect(stats).toMatchObject({ rows: 101, nulls: 1, distinct: 100, min: "-10", max: "89", sum: "3950", top: [] });
    expect(Number(stats.average)).toBe(39.5);
    expect(stats.bars).toHaveLength(16);
    expect(stats.bars.reduce((all, { count }) => all + count, 0)).toBe(100);
    // 99 / 16 = 6.1875: -10 to -4, and 83 to 89.
    expect([stats.bars[0], stats.bars.at(-1)]).toMatchObject([
      { from: -10, count: 7 },
      { to: 89, count: 7 },
    ]);
  });

  it("lists the most frequent words", async () => {
    const stats = await statsOf(ROWS, { name: "word", type: "string" });
    expect(stats).toMatchObject({ rows: 101, nulls: 1, distinct: 2, min: "even", max: "odd", average: null, bars: [] });
    expect(stats.top).toEqual([
      { value: "even", count: 50 },
      { value: "odd", count: 50 },
    ]);
  });

  it("counts a column of an empty result", async () => {
    const stats = await statsOf("select 1 as n where 1 = 0", { name: "n", type: "int32" });
    expect(stats).toMatchObject({ rows: 0, nulls: 0, distinct: 0, min: null, max: null, bars: [], top: [] });
  });
});

it("counts documents by their text where they have no equality", async () => {
  const body = (query: string) => ({ query, readOnly: true });
  const read = async (query: string) =>
    (
      await call("POST", `${ana.home}/databases/${ids.postgres}/execute`, {
        cookie: ana.person.cookie,
        body: body(query),
      })
    ).json.data.rows;
  const text = `select '{"a":1}'::json as doc union all select '{"a":1}'::json union all select null`;
  const stats = await readColumnStats({ text, dialect: "postgres" }, { name: "doc", type: "json" }, read);
  expect(stats).toMatchObject({ rows: 3, nulls: 1, distinct: 1, min: null, top: [{ value: '{"a":1}', count: 2 }] });
});
