import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DRIVERS, type DriverName, startValueSubject, type ValueSubject } from "./subjects";
import { askClient, type MadeTable, makeTables } from "./tables";
import { type Depth, type Difference, WAYS } from "./ways";

/*
 * The fidelity matrix (docs/develop/correctness.md): every type of every driver, its boundary values, and every way in and out.
 */

/** Cells that are known to differ. The list has to stay empty. */
const KNOWN_DIFFERENCES: readonly string[] = [];
async function differencesOf(subject: ValueSubject, depth: Depth): Promise<string[]> {
  const made: MadeTable[] = [];
  for (const index of subject.types.keys()) made.push(await makeTables(subject, index, depth));
  const found = new Set<string>();
  let cells = 0;
  for (const table of await askClient(subject, made)) {
    for (const [way, check] of Object.entries(WAYS)) {
      cells += table.shown.size;
      const failed = (error: unknown): Difference[] => [{ value: "", expected: "no failure", found: String(error) }];
      for (const { value, expected, found: had } of await check(subject, table, depth).catch(failed)) {
        const cell = `${subject.name} ${table.type.type}, ${way}, ${value.slice(0, 60)}`;
        if (KNOWN_DIFFERENCES.includes(cell)) continue;
        found.add(`${cell}: expected ${expected.slice(0, 200)}, found ${had.slice(0, 300)}`);
      }
    }
  }
  process.stdout.write(`fidelity matrix of ${subject.name}, ${depth}: ${cells} cells, ${found.size} differences\n`);
  return [...found];
}

describe.each(DRIVERS)("C9 C10 the fidelity matrix of %s", (name: DriverName) => {
  let subject: ValueSubject | null = null;
  beforeAll(async () => {
    subject = await startValueSubject(name);
  });
  afterAll(async () => {
    await subject?.stop();
  });

  test("has 0 differences in a sample", async (context) => {
    if (!subject) return context.skip();
    expect(await differencesOf(subject, "sample")).toEqual([]);
  });

  test("has 0 differences as a whole", { tags: ["long"], timeout: 900_000 }, async (context) => {
    if (!subject) return context.skip();
    expect(await differencesOf(subject, "whole")).toEqual([]);
  });
});
