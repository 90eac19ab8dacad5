import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { writeNow } from "@/lib/features/query/history-writer";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { takeOwnDatabase } from "@/test/database";
import { callerIn } from "@/test/fixtures/access/caller";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { ADHOC } from "@/test/fixtures/query/origins";
import { CONTENT_TYPES, type ResultFormat } from "./schema";
import { consumeQuery, executeQuery, runQuery } from "./service";

const dataDir = takeOwnDataDir();
const database = takeOwnDatabase();
const workspaceId = new ObjectId();
const userId = new ObjectId();
const caller = callerIn(workspaceId, { _id: userId, role: "admin" });
const connections = { duckdb: connectionTo("duckdb"), sqlite: connectionTo("sqlite") };

beforeAll(databaseReady);
afterAll(async () => {
  await closeServerMember("dataSources");
  await writeNow();
  await database.drop();
  dataDir.remove();
});

function connectionTo(type: string): ConnectionDoc {
  const now = new Date();
  return {
    _id: new ObjectId(),
    workspaceId,
    name: type,
    type,
    category: "database",
    readOnly: false,
    config: { file: `columns.${type}` },
    secrets: {},
    status: "ok",
    lastTestedAt: null,
    lastError: null,
    createdBy: userId,
    createdAt: now,
    updatedAt: now,
  };
}

const columns = (count: number, column = "1 as a") =>
  `select ${Array.from({ length: count }, () => column).join(", ")}`;
const ask = (query: string, type: keyof typeof connections = "duckdb") => ({
  connection: connections[type],
  origin: ADHOC,
  statement: { query },
  signal: new AbortController().signal,
});
const TOO_WIDE = { kind: "query_failed", message: expect.stringMatching(/at most 5,000 are allowed\. Select fewer/) };

describe("a wide result", () => {
  it("C2 of 5,000 equal names is returned completely, with renamed columns", async () => {
    const { fields, rows } = await runQuery(caller, ask(columns(5000)));
    expect([fields.length, fields[0]?.name, fields[1]?.name, fields[4999]?.name]).toEqual([5000, "a", "a_2", "a_5000"]);
    expect(Object.keys(rows[0] ?? {})).toHaveLength(5000);
  });

  it.each(Object.keys(CONTENT_TYPES) as ResultFormat[])(
    "C2 of 5,001 columns is an error before the first byte of %s",
    async (format) => {
      await expect(executeQuery(caller, ask(columns(5001)), format)).rejects.toMatchObject(TOO_WIDE);
    },
  );

  it.each<[string, string]>([
    ["40,000 equal names", columns(40_000)],
    ["a table read with many stars", `select ${"*, ".repeat(6000)} 1 from (select 1 as a)`],
    ["no rows", `${columns(5001)} where false`],
  ])("C2 of %s is the same error", async (_, query) => {
    await expect(runQuery(caller, ask(query))).rejects.toMatchObject(TOO_WIDE);
  });

  it("C2 is an error for row readers, including datasets", async () => {
    const read = consumeQuery(caller, ask(columns(5001)), async () => ({ rowCount: 0 }));
    await expect(read).rejects.toMatchObject(TOO_WIDE);
  });

  it("C2 with names of many megabytes in total is an error, and one long name is not", async () => {
    const long = "n".repeat(50_000);
    const query = (stars: number) => `select ${"*, ".repeat(stars)}* from (select 1 as "${long}")`;
    expect((await runQuery(caller, ask(query(0)))).fields[0]?.name).toBe(long);
    await expect(runQuery(caller, ask(query(30)))).rejects.toMatchObject({
      message: expect.stringMatching(/Give the columns shorter names/),
    });
  });

  it("C2 of SQLite ends at the database's own limit", async () => {
    expect((await runQuery(caller, ask(columns(2000), "sqlite"))).fields).toHaveLength(2000);
    await expect(runQuery(caller, ask(columns(2001), "sqlite"))).rejects.toMatchObject({ kind: "query_failed" });
  });
});
