import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyAs, copyInsert, variables } from "./copy";
import { ALL_SOURCES, type DriverName, startValueSubject, type ValueSubject } from "./subjects";
import { DATABASE_WAYS, type Depth, type Difference, type ValueTable, type Way } from "./ways";

/*
 * The fidelity matrix (docs/develop/correctness.md): every type of every driver, its boundary values, and every path in
 * and out.
 */

/** Cells known to differ. The list has to stay empty. */
const KNOWN_DIFFERENCES: readonly string[] = [];

/** Most of the time is spent waiting for the database. */
const TABLES_AT_ONCE = 4;
/** A sample has each third type. The matrix through the product has them all. */
const SAMPLED = 3;

const WAYS: Readonly<Record<string, Way>> = {
  ...DATABASE_WAYS,
  "{{variables}}": variables,
  "copy as TSV": copyAs("tsv"),
  "copy as CSV": copyAs("csv"),
  "copy as JSON": copyAs("json"),
  "copy as Markdown": copyAs("markdown"),
  "copy as HTML": copyAs("html"),
  "copy as INSERT": copyInsert,
};

async function differencesOf(subject: ValueSubject, depth: Depth): Promise<string[]> {
  const found = new Set<string>();
  let cells = 0;
  const check = async (table: ValueTable) => {
    for (const [way, differ] of Object.entries(WAYS)) {
      cells += table.shown.size;
      const failed = (error: unknown): Difference[] => [{ value: "", expected: "no failure", found: String(error) }];
      for (const { value, expected, found: had } of await differ(subject, table, depth).catch(failed)) {
        const cell = `${subject.name} ${table.type.type}, ${way}, ${value.slice(0, 60)}`;
        if (KNOWN_DIFFERENCES.includes(cell)) continue;
        found.add(`${cell}: expected ${expected.slice(0, 200)}, found ${had.slice(0, 300)}`);
      }
    }
  };
  const tables = await subject.makeAll(depth);
  const left = tables.filter((_, index) => depth === "whole" || index % SAMPLED === 0);
  const work = async () => {
    for (let table = left.shift(); table; table = left.shift()) await check(table);
  };
  await Promise.all(Array.from({ length: TABLES_AT_ONCE }, work));
  process.stdout.write(`fidelity matrix of ${subject.name}, ${depth}: ${cells} cells, ${found.size} differences\n`);
  return [...found];
}

describe.each(ALL_SOURCES)("C9 C10 the fidelity matrix of %s", (name: DriverName) => {
  let subject: ValueSubject | null = null;
  beforeAll(async () => {
    subject = await startValueSubject(name);
  });
  afterAll(async () => {
    await subject?.stop();
  });

  test("has 0 differences in a sample", { tags: ["long"] }, async (context) => {
    if (!subject) return context.skip();
    expect(await differencesOf(subject, "sample")).toEqual([]);
  });

  test("has 0 differences in total", { tags: ["long"], timeout: 900_000 }, async (context) => {
    if (!subject) return context.skip();
    expect(await differencesOf(subject, "whole")).toEqual([]);
  });
});
