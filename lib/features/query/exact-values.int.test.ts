import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { type DocumentStore, startDocumentStore } from "@/test/servers/document-store";
import { startMariaDb } from "@/test/servers/mariadb";
import { startPostgres, type TestServer } from "@/test/servers/postgres";

/*
 * Numbers of request bodies that do not fit a double, up to the database: as JSON texts, since JavaScript would round
 * them.
 */

process.env.ALLOW_PRIVATE_NETWORK = "all";
const own = takeOwnDatabase();
let ana: FlowAuthor;
let store: DocumentStore;
let mongo: MongoClient;
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
  store = await startDocumentStore();
  mongo = new MongoClient(store.uri, { promoteValues: false });
  ids.mongodb = await ana.connect("mongodb", { connectionString: store.uri, database: "exact" });
}, 240_000);
afterAll(async () => {
  await closeServerMember("dataSources");
  await mongo?.close();
  await store?.stop();
  for (const server of servers) await server.stop();
  await own.drop();
});

/** @param rawBody JSON text */
const execute = (type: string, rawBody: string) =>
  call("POST", `${ana.home}/databases/${ids[type]}/execute`, { cookie: ana.person.cookie, rawBody });

/** Returns the database's text of the value. */
async function textOf(type: string, query: string, values: string): Promise<unknown> {
  const answer = await execute(type, `{"query":${JSON.stringify(query)},${values}}`);
  if (answer.status !== 200) return `${answer.status} ${answer.json.error}`;
  return Object.values(answer.json.data.rows[0])[0];
}

const AS_TEXT: Record<string, [placeholder: string, variable: string]> = {
  postgres: ["select ($1::numeric)::text", "select ({{v}})::text"],
  mysql: ["select concat(?, '')", "select concat({{v}}, '')"],
  sqlite: ["select cast(? as text)", "select cast({{v}} as text)"],
  duckdb: ["select cast($1 as varchar)", "select cast({{v}} as varchar)"],
};
const INTEGERS = ["9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"];
const LARGE = ["18446744073709551615", "12345678901234567890.123456789", "-12345678901234567890.5", "0.12345678901234567890"]; // biome-ignore format: one list

describe.each(Object.keys(AS_TEXT))("C15 %s", (type) => {
  const [placeholder, variable] = AS_TEXT[type] as [string, string];

  it.each(INTEGERS)("C15 binds %s exactly in params and variables", async (number) => {
    expect(await textOf(type, placeholder, `"params":[${number}]`)).toBe(number);
    expect(await textOf(type, variable, `"variables":{"v":${number}}`)).toBe(number);
    expect(await textOf(type, variable, `"variables":{"v":{"type":"number","value":${number}}}`)).toBe(number);
    expect(await textOf(type, variable, `"variables":{"v":{"type":"number","value":"${number}"}}`)).toBe(number);
  });

  it.each(LARGE)("C15 binds %s exactly or rejects it", async (number) => {
    const expected = type === "sqlite" ? expect.stringMatching(/^400 .*Send it as text/) : number;
    expect(await textOf(type, placeholder, `"params":[${number}]`)).toEqual(expected);
    expect(await textOf(type, variable, `"variables":{"v":${number}}`)).toEqual(expected);
  });

  it("C15 distinguishes neighbours above 2^53 in a comparison", async () => {
    await execute(type, '{"query":"create table big (id bigint)"}');
    await execute(
      type,
      '{"query":"insert into big values (9007199254740992), (9007199254740993), (9007199254740994)"}',
    );
    const query = type === "mysql" || type === "sqlite" ? "?" : "$1";
    const found = await textOf(type, `select count(*) from big where id = ${query}`, '"params":[9007199254740993]');
    const byVariable = await textOf(type, "select count(*) from big where id = {{v}}", '"variables":{"v":9007199254740993}'); // biome-ignore format: one line
    expect([Number(found), Number(byVariable)]).toEqual([1, 1]);
  });

  it("C15 rejects a number that the database can't represent", async () => {
    const answer = await execute(type, '{"query":"select 1","limit":9007199254740993}');
    expect(answer.status).toBe(400);
  });
});

it("C15 keeps digits within lists and objects", async () => {
  const array = await textOf("postgres", "select ($1::numeric[])::text", '"params":[[9007199254740993,0.12345678901234567890]]'); // biome-ignore format: one line
  expect(array).toBe("{9007199254740993,0.12345678901234567890}");
  const json = await textOf("postgres", "select ($1::jsonb)::text", '"params":[{"a":[12345678901234567890.5]}]');
  expect(json).toBe('{"a": [12345678901234567890.5]}');
  expect(await textOf("duckdb", "select cast($1 as varchar)", '"params":[[9007199254740993]]')).toBe(
    "[9007199254740993]",
  );
});

it("C15 runs a flow with exact values", async () => {
  const { flow } = await ana.make({
    type: "query",
    source: { connectionId: ids.postgres, query: "select $1::numeric as v, $2::bigint as b" },
    destination: { connectionId: ids.postgres, table: "flow_values", write: "append" },
  });
  const rawBody = `{"flowId":"${flow.id}","params":[12345678901234567890.5,9007199254740993]}`;
  const started = await call("POST", `${ana.home}/flows`, { cookie: ana.person.cookie, rawBody });
  expect(started.status).toBeLessThan(300);
  await ana.runJobs();
  expect(await ana.sql(ids.postgres ?? "", "select v::text as v, b::text as b from flow_values")).toEqual([
    { v: "12345678901234567890.5", b: "9007199254740993" },
  ]);
});

describe("C13 the object form of MongoDB", () => {
  it.each<[string, string, string, string]>([
    ["an int64 as Extended JSON", '{"$numberLong":"9007199254740993"}', "long", "9007199254740993"],
    ["an int64 as a number in it", '{"$numberLong":9007199254740993}', "long", "9007199254740993"],
    ["the largest int64", '{"$numberLong":"9223372036854775807"}', "long", "9223372036854775807"],
    ["a small int64, which stays one", '{"$numberLong":"5"}', "long", "5"],
    ["a plain number above 2^53", "9007199254740993", "long", "9007199254740993"],
    ["a plain number above int64", "18446744073709551615", "decimal", "18446744073709551615"],
    ["a plain decimal", "0.12345678901234567890", "decimal", "0.12345678901234567890"],
    ["a decimal", '{"$numberDecimal":"1.10"}', "decimal", "1.10"],
    ["a decimal of 34 digits", '{"$numberDecimal":"1234567890123456789012345678901234"}', "decimal", "1234567890123456789012345678901234"],
    ["a whole double", '{"$numberDouble":"5"}', "double", "5"],
    ["NaN", '{"$numberDouble":"NaN"}', "double", "NaN"],
    ["an int32", '{"$numberInt":"7"}', "int", "7"],
    ["a plain integer", "7", "int", "7"],
    ["an id", '{"$oid":"0123456789abcdef01234567"}', "objectId", "0123456789abcdef01234567"],
  ])("C13 writes %s and finds it again", async (_, value, type, text) => {
    await mongo.db("exact").collection("values").deleteMany({});
    const write = `{"query":{"operation":"insertOne","collection":"values","document":{"v":${value},"in":[{"v":${value}}]}}}`;
    expect((await execute("mongodb", write)).status).toBe(200);
    const [found] = await mongo
      .db("exact")
      .collection("values")
      .aggregate([
        { $project: { type: { $type: "$v" }, inner: { $type: { $arrayElemAt: ["$in.v", 0] } }, text: { $toString: "$v" } } },
      ])
      .toArray();
    expect(found).toMatchObject({ type, inner: type, text });
    const filter = `{"query":{"operation":"countDocuments","collection":"values","filter":{"v":${value}}}}`;
    expect(Object.values((await execute("mongodb", filter)).json.data.rows[0])).toEqual([1]);
  }); // biome-ignore format: a line each

  it.each([
    ['{"$date":"2026-05-31T12:30:00.123Z"}', "date"],
    ['{"$date":{"$numberLong":"253402300799999"}}', "date"],
    ['{"$binary":{"base64":"AQI=","subType":"00"}}', "binData"],
    ['{"$uuid":"01234567-89ab-cdef-0123-456789abcdef"}', "binData"],
    ['{"$timestamp":{"t":1,"i":2}}', "timestamp"],
    ['{"$regularExpression":{"pattern":"a","options":"i"}}', "regex"],
    ['{"$minKey":1}', "minKey"],
  ])("C13 writes %s as a %s", async (value, type) => {
    await mongo.db("exact").collection("types").deleteMany({});
    const write = `{"query":{"operation":"insertOne","collection":"types","document":{"v":${value}}}}`;
    expect((await execute("mongodb", write)).status).toBe(200);
    const count = await mongo
      .db("exact")
      .collection("types")
      .countDocuments({ v: { $type: type as "date" } });
    expect(Number(count)).toBe(1);
  });

  it.each([
    '{"$numberLong":"9223372036854775808"}',
    '{"$numberLong":"1.5"}',
    '{"$numberInt":"2147483648"}',
    '{"$numberDecimal":"12345678901234567890123456789012345"}',
    "12345678901234567890123456789012345",
    '{"$numberDouble":"x"}',
  ])("C13 rejects %s", async (value) => {
    const write = `{"query":{"operation":"insertOne","collection":"values","document":{"v":${value}}}}`;
    const answer = await execute("mongodb", write);
    expect([answer.status, answer.json.error]).toEqual([400, expect.stringMatching(/^Invalid value\. /)]);
  });

  it("C13 still accepts limits and operators", async () => {
    await mongo
      .db("exact")
      .collection("some")
      .insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const find = (more: string) =>
      execute("mongodb", `{"query":{"operation":"find","collection":"some",${more}}}`).then(({ json }) =>
        json.data.rows.map(({ n }: { n: number }) => n),
      );
    expect(await find('"sort":{"n":{"$numberInt":"-1"}},"limit":{"$numberLong":"2"}')).toEqual([3, 2]);
    expect(await find('"filter":{"n":{"$gte":2,"$not":{"$in":[{"$numberLong":"3"}]}}}')).toEqual([2]);
    expect(await find('"filter":{"$or":[{"n":1},{"n":{"$numberDecimal":"3"}}]},"skip":1')).toEqual([3]);
  });

  it("C13 reads and writes the shell's text with every digit", async () => {
    const shell = (query: string) => execute("mongodb", JSON.stringify({ query }));
    for (const [value, type, text] of [
      ["NumberLong(9007199254740993)", "long", "9007199254740993"],
      ['NumberLong("-9223372036854775808")', "long", "-9223372036854775808"],
      ["9007199254740993", "long", "9007199254740993"],
      ["-9007199254740993", "long", "-9007199254740993"],
      ["18446744073709551615", "decimal", "18446744073709551615"],
      ["NumberDecimal(9007199254740993)", "decimal", "9007199254740993"],
      ["0.1", "double", "0.1"],
    ] as const) {
      await shell("db.shell.deleteMany({})");
      expect((await shell(`db.shell.insertOne({ v: ${value} })`)).status).toBe(200);
      const { json } = await shell(
        "db.shell.aggregate([{ $project: { _id: 0, type: { $type: '$v' }, text: { $toString: '$v' }, v: 1 } }])",
      );
      expect([value, json.data.rows[0].type, json.data.rows[0].text]).toEqual([value, type, text]);
      if (type !== "double") expect(json.data.rows[0].v).toBe(text);
    }
    const bound = await execute("mongodb", '{"query":"db.shell.countDocuments({ v: { $gt: {{v}} } })","variables":{"v":9007199254740993}}'); // biome-ignore format: one line
    expect(bound.status).toBe(200);
  });
});
