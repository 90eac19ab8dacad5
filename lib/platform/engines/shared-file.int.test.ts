import { randomUUID } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, expect, test } from "vitest";
import { splitCases } from "@/test/cases";
import { type EngineFile, engineSocketPath } from "./service";
import { SHARED_ENGINES_MAX, type SharedEngines, shareEngines } from "./shared-file";

/*
 * An engine whose socket has no folder cannot be leased: a file in the folder's place simulates a full or read-only
 * disk.
 */

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function newFile(): Promise<EngineFile> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "millrace-shared-")));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, `shared-${randomUUID()}.duckdb`);
  const database = await DuckDBInstance.create(path);
  database.closeSync();
  return { path, readOnlyFile: true, trusted: true };
}

/** @returns a function that unblocks these slots */
function blockSlots({ path }: EngineFile, slots: readonly number[]): () => void {
  const folders = slots.map((slot) => dirname(engineSocketPath(`${path}#${slot}`)));
  for (const folder of folders) writeFileSync(folder, "");
  const unblock = () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  };
  cleanUps.push(unblock);
  return unblock;
}

function share(file: EngineFile, tenant: string): SharedEngines {
  const engines = shareEngines(file, tenant);
  cleanUps.push(() => engines.release());
  return engines;
}

const ALL = Array.from({ length: SHARED_ENGINES_MAX }, (_, slot) => slot);

test.each([1, 3])("C3 leases an engine again after %i failed requests", async (count) => {
  const file = await newFile();
  const unblock = blockSlots(file, ALL);
  const engines = share(file, "one");
  for (let request = 0; request < count; request += 1) await expect(engines.take()).rejects.toThrow();
  unblock();
  engines.giveBack(await engines.take());
});

for (const { tags, cases } of splitCases([2, 3], 2))
  test.each(cases)("C3 leases engines again after %i tenants failed at once", { tags }, async (count) => {
    const file = await newFile();
    const unblock = blockSlots(file, ALL);
    const tenants = Array.from({ length: count }, (_, index) => share(file, `t${index}`));
    const failed = await Promise.allSettled(tenants.map((engines) => engines.take()));
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    unblock();
    for (const engines of tenants) engines.giveBack(await engines.take());
  });

test("C3 keeps another tenant's engine when one can't be leased", async () => {
  const file = await newFile();
  const first = share(file, "one");
  const held = await first.take();
  const isHeld = (slot: number) => engineSocketPath(`${file.path}#${slot}`) === held;
  const unblock = blockSlots(
    file,
    ALL.filter((slot) => !isHeld(slot)),
  );
  const second = share(file, "two");
  await expect(second.take()).rejects.toThrow();
  expect(await first.take()).toBe(held);
  unblock();
  expect(await second.take()).not.toBe(held);
});

test.each([
  ["before", 0],
  ["after", 1],
])("C3 releases a file %s a failed request, and shares it again", async (_, requests) => {
  const file = await newFile();
  const unblock = blockSlots(file, ALL);
  const engines = share(file, "one");
  const pending = Array.from({ length: 1 }, () => engines.take().catch(() => null));
  if (requests > 0) await Promise.all(pending);
  await engines.release();
  await Promise.all(pending);
  unblock();
  const again = share(file, "one");
  again.giveBack(await again.take());
});
