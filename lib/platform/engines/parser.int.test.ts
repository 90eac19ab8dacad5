import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { takeOwnDataDir } from "@/test/fixtures/connections/drivers/duckdb/open-file";
import { findEngineFault } from "./parser";

const dataDir = takeOwnDataDir();
beforeAll(async () => {
  // On a busy machine, the process takes longer to start than a push waits for it.
  while ((await findEngineFault("sqlite", "form")) === null) await sleep(1000);
});
afterAll(async () => {
  await closeServerMember("parserEngine");
  dataDir.remove();
});

it.each([
  ["duckdb", "select 1;\nselect 'é', 2 form t\n", { message: 'syntax error at or near "t"', offset: 28 }],
  ["duckdb", "from nowhere select columns(*) where x = $1; pivot t on a using sum(b); load x; pragma none", null],
  ["duckdb", "attach 'x.db' as y; import database 'z'; copy t to 'a.csv'; select * from read_csv('/etc/passwd')", null],
  ["sqlite", "select 1;\nselect 2 form t x\n", { message: 'near "t": syntax error', offset: 24 }],
  ["sqlite", "select * from nowhere; pragma journal_mode = wal", null],
] as const)("reads %s text by its own parser: %s", async (dialect, text, fault) => {
  expect(await findEngineFault(dialect, text)).toEqual(fault);
});

it("reads a text after another one that nests without end", async () => {
  const deep = `select ${"(".repeat(16_000)}`;
  for (const dialect of ["duckdb", "sqlite"] as const) await findEngineFault(dialect, deep);
  expect(await findEngineFault("duckdb", "select form from")).not.toBeNull();
});
