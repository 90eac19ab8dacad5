import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type Subject, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { storedConnection } from "@/test/fixtures/query/stored-connection";
import type { ExecuteAnswer } from "./schema";
import { executeQuery } from "./service";

/* Stored 32-bit floats, as the shortest texts that read back as them: psql and duckdb print these for the literals. */

const STORED: [literal: string, shown: number][] = [
  ["0", 0],
  ["0.1", 0.1],
  ["-0.3", -0.3],
  ["7.12345671", 7.1234565],
  ["123456.789", 123456.79],
  ["16777216", 16777216],
  ["16777217", 16777216],
  ["123456789", 123456790],
  ["1e10", 1e10],
  ["3.4028234e38", 3.4028235e38],
  ["1.17549435e-38", 1.1754944e-38],
  ["99999.99", 99999.99],
];
const SHOWN = STORED.map(([, shown]) => shown);

const ownDatabase = takeOwnDatabase();
const workspaceId = new ObjectId();
const caller = callerIn(workspaceId, { _id: new ObjectId(), role: "admin" });
const KINDS = {
  postgres: { type: "real", mark: "$1::int" },
  mariadb: { type: "float", mark: "?" },
  duckdb: { type: "float", mark: "?" },
} satisfies Partial<Record<SubjectName, unknown>>;

beforeAll(() => databaseReady());
afterAll(() => ownDatabase.drop());

describe.each(Object.entries(KINDS))("%s", (name, { type, mark }) => {
  let subject: Subject | null = null;
  let connection: ConnectionDoc;
  let reader: ConnectionDoc;
  const ask = async (query: string, params?: unknown[], from = connection) => {
    const statement = { query, ...(params && { params }) };
    const origin = { kind: "adhoc" as const, id: null };
    const request = { connection: from, origin, statement, signal: new AbortController().signal };
    const response = await executeQuery(caller, request, "json");
    return ((await response.json()) as { data: ExecuteAnswer }).data.rows;
  };
  const column = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).map((row) => Object.values(row)[0]);

  beforeAll(async () => {
    subject = await startSubject(name as SubjectName);
    if (!subject) return;
    const facts = { type: subject.driver.type, config: subject.config };
    connection = storedConnection(workspaceId, facts);
    reader = storedConnection(workspaceId, { ...facts, readOnly: true });
    await ask(`create table floats (id int primary key, f ${type})`);
    for (const [id, [literal]] of STORED.entries()) await ask(`insert into floats values (${id}, ${literal})`);
  }, 120_000);
  afterAll(async () => {
    await closeServerMember("dataSources");
    await subject?.stop();
  });

  test("C12 shows the stored value with and without parameters", async (context) => {
    if (!subject) return context.skip();
    expect(await column("select f from floats order by id")).toEqual(SHOWN);
    expect(await column(`select f from floats where id >= ${mark} order by id`, [0])).toEqual(SHOWN);
    expect(await column("select f from floats order by id", undefined, reader)).toEqual(SHOWN);
  });

  test("C12 shows the stored value through a view, a WITH, a UNION and among other columns", async (context) => {
    if (!subject) return context.skip();
    await ask("create view seen as select f, id from floats");
    for (const query of [
      "select f from seen order by id",
      "with a as (select f, id from floats) select f from a order by id",
      "(select f from floats where id = 1) union all (select f from floats where id = 3)",
      "select f, id, 'x' as t from floats order by id",
    ]) {
      const expected = query.includes("union") ? [SHOWN[1], SHOWN[3]] : SHOWN;
      expect([query, await column(query)]).toEqual([query, expected]);
    }
  });

  test("C12 finds a row by the shown value", async (context) => {
    if (!subject || name === "mariadb") return context.skip();
    const cast = name === "postgres" ? "$1::real" : "?::float";
    for (const [id, shown] of SHOWN.entries()) {
      const found = await column(`select count(*) from floats where id = ${id} and f = ${cast}`, [String(shown)]);
      expect([shown, ...found.map(Number)]).toEqual([shown, 1]);
    }
  });

  test("C12 still fails with the database's message", async (context) => {
    if (!subject) return context.skip();
    await expect(ask("select nowhere from floats")).rejects.toThrow("nowhere");
    expect(await column("select 1 as one")).toEqual([1]);
  });
});
