import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collections } from "@/lib/features/connections/collections";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { listEntities } from "@/lib/features/connections/service";
import { databaseReady } from "@/lib/platform/db/ready";
import { AppError } from "@/lib/platform/http/errors";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { storedConnection } from "@/test/fixtures/query/stored-connection";
import { executeOn } from "./endpoint";
import { executeQuery, runQuery } from "./service";

const ownDatabase = takeOwnDatabase();
const workspaceId = new ObjectId();
const caller = callerIn(workspaceId, { _id: new ObjectId(), role: "member" });

function requestOf(connection: ConnectionDoc, query: string) {
  const signal = new AbortController().signal;
  return { connection, origin: { kind: "adhoc" as const, id: null }, statement: { query }, signal };
}

/** Returns the error of a statement that fails. */
async function fail(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error("The statement did not fail.");
  return error;
}

type Fix = { text: string; replacement: string; from: number; to: number };

const suggestionsOf = ({ details }: AppError): Fix[] =>
  details && !Array.isArray(details) && Array.isArray(details.suggestions) ? details.suggestions : [];

/** The statement, and the statement after its first suggestion; the latter runs. */
const COMMON = [
  ["select * from customrs", "select * from customers"],
  ["select c.nmae from customers c", "select c.name from customers c"],
  ["select uper(name) from customers", "select upper(name) from customers"],
] as const;
const IN_SCHEMA = ["select * from events", "select * from raw.events"] as const;
const CASES = {
  postgres: [...COMMON, IN_SCHEMA, ["select * from raw.evnts", "select * from raw.events"]],
  mariadb: COMMON,
  sqlite: COMMON,
  duckdb: [...COMMON, IN_SCHEMA],
} as const;
const SEED = ["create table customers (id int primary key, name varchar(20))"];
const SCHEMA_SEED = ["create schema raw", "create table raw.events (id int)"];

beforeAll(() => databaseReady());
afterAll(() => ownDatabase.drop());

describe.each(Object.keys(CASES) as (keyof typeof CASES)[])("%s", (name) => {
  let subject: Subject | null = null;
  let connection: ConnectionDoc;
  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    connection = storedConnection(workspaceId, { type: subject.driver.type, config: subject.config });
    await collections.connections().insertOne(connection);
    const seed = name === "postgres" || name === "duckdb" ? [...SEED, ...SCHEMA_SEED] : SEED;
    for (const statement of seed) await runQuery(caller, requestOf(connection, statement));
    // A response does not wait long for the first reading of the tables.
    await listEntities(caller, connection._id, { refresh: false, signal: new AbortController().signal });
  }, 120_000);
  afterAll(async () => {
    await closeServerMember("dataSources");
    await subject?.stop();
  });

  test("corrects tables, columns and functions that it does not know", async (context) => {
    if (!subject) return context.skip();
    for (const [query, corrected] of CASES[name]) {
      const error = await fail(executeQuery(caller, requestOf(connection, query), "json"));
      const [first] = suggestionsOf(error);
      if (!first) throw new Error(`No suggestion: ${error.message} ${JSON.stringify(error.details)}`);
      const fixed = query.slice(0, first.from) + first.replacement + query.slice(first.to);
      expect([error.kind, fixed]).toEqual(["query_failed", corrected]);
      await runQuery(caller, requestOf(connection, fixed));
    }
  });

  test("has offsets in the text with its variables", async (context) => {
    if (!subject) return context.skip();
    const query = "select {{long_name_of_a_value}} as v, nmae from customers";
    const body = { query, variables: { long_name_of_a_value: 1 } };
    const run = executeOn(caller, connection, {
      body,
      format: "json",
      request: new Request("http://localhost"),
      signal: new AbortController().signal,
    });
    const from = query.indexOf("nmae");
    expect(suggestionsOf(await fail(run))[0]).toEqual({ text: "name", replacement: "name", from, to: from + 4 });
  });

  test("has no suggestions for other errors, nor for a connection of another workspace", async (context) => {
    if (!subject) return context.skip();
    const other = await fail(runQuery(caller, requestOf(connection, "select from where")));
    expect(suggestionsOf(other)).toEqual([]);
    const stranger = callerIn(new ObjectId(), { _id: new ObjectId(), role: "owner" });
    const foreign = await fail(runQuery(stranger, requestOf(connection, "select * from customrs")));
    expect([foreign.kind, suggestionsOf(foreign)]).toEqual(["query_failed", []]);
  });
});
