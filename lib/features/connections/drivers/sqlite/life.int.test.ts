import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { cpuMs, engineProcesses, isAlive } from "@/test/fixtures/connections/drivers/duckdb/processes";
import type { QueryableSource } from "../../data-source";
import { sqlite } from ".";

const ENDLESS = "with recursive c(i) as (select 1 union all select i + 1 from c) select count(*) from c";
const folder = mkdtempSync(join(tmpdir(), "millrace-sqlite-"));
let source: QueryableSource;

beforeAll(async () => {
  process.env.DATA_DIR = folder;
  source = await openWith(sqlite, { file: "life.sqlite" }, false);
  await change(source, "create table a (b integer primary key, c text)");
});
afterAll(async () => {
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns processes that have the file open: the engine, and the runners that it started. */
function processes(): { pid: number; isRunner: boolean }[] {
  return engineProcesses(folder, "life.sqlite").flatMap((pid) => {
    const [program = "", ...args] = argumentsOf(pid);
    return program.includes("bwrap") ? [] : [{ pid, isRunner: args.includes("--runner") }];
  });
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    // It ended during the check.
    return ["bwrap"];
  }
}

/** Processor time after which a runner has parsed its statement and works in SQLite, in ms. */
const WORKS_MS = 200;
async function runnerWorks(): Promise<void> {
  const spent = () => cpuMs(processes().flatMap(({ pid, isRunner }) => (isRunner ? [pid] : [])));
  const before = spent();
  await expect.poll(() => spent() - before, { timeout: 20_000 }).toBeGreaterThan(WORKS_MS);
}

test("leaves no process behind when a statement is stopped inside SQLite", async () => {
  const stop = new AbortController();
  const answer = ask(source, ENDLESS, { signal: stop.signal });
  await runnerWorks();
  stop.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
  await expect.poll(() => processes().filter(({ isRunner }) => isRunner).length, { timeout: 30_000 }).toBeLessThan(2);
  expect((await ask(source, "select 1")).rows).toEqual([[1]]);
});

test("leaves no partial write when it is killed", async () => {
  const stop = new AbortController();
  const half = `insert into a (c) with recursive n(i) as (select 1 union all select i + 1 from n) select 'x' || i from n`;
  const answer = ask(source, half, { signal: stop.signal, readOnly: false });
  await sleep(1000);
  stop.abort(new Error("enough"));
  await expect(answer).rejects.toThrow("enough");
  expect((await ask(source, "select count(*) from a")).rows).toEqual([[0]]);
  await change(source, "insert into a values (1, 'y')");
  expect((await ask(source, "select * from a")).rows).toEqual([[1, "y"]]);
});

test("fails a statement as unavailable when the engine is killed, and runs the next one", async () => {
  // A read-only statement would be retried on the next engine.
  const answer = ask(source, ENDLESS, { readOnly: false }).catch((error: unknown) => error);
  await runnerWorks();
  const engine = processes().find(({ isRunner }) => !isRunner);
  const before = processes().filter(({ isRunner }) => isRunner);
  expect(before.length).toBeGreaterThan(0);
  process.kill(engine?.pid ?? 0, "SIGKILL");
  expect(await answer).toMatchObject({ kind: "unavailable" });
  const alive = () => before.filter(({ pid }) => isAlive(pid));
  await expect.poll(() => alive().length, { timeout: 30_000 }).toBe(0);
  expect((await ask(source, "select * from a")).rows).toEqual([[1, "y"]]);
});
