import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { libraryTables } from "../questions/library-data";
import { LIBRARY_QUESTIONS } from "../questions/library-questions";
import { driverEngine, postgresEngine } from "../testing/engines";
import { evaluate, type Outcome } from "../testing/evaluate";
import { questionSets } from "../testing/question-sets";
import { offlineModel } from ".";

/** What has to be right of each half. */
const FLOOR = 0.85;
/** Fewer than these would say little. */
const QUESTIONS_MIN = 120;

const folder = mkdtempSync(join(tmpdir(), "millrace-questions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shareOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ isRight }) => isRight).length / outcomes.length;

test("each half of the questions is answered with the right rows, the half that was not looked at included", async () => {
  const seen: Outcome[] = [];
  const unseen: Outcome[] = [];
  const sets = questionSets(join(folder, "shop.duckdb"));
  for (const set of sets) {
    const engine = await set.open();
    if (!engine) continue;
    seen.push(...(await evaluate(offlineModel(), engine, set.name, set.seen)));
    unseen.push(...(await evaluate(offlineModel(), engine, set.name, set.unseen)));
    await engine.stop();
  }
  for (const half of [sets.flatMap((set) => set.seen), sets.flatMap((set) => set.unseen)]) {
    expect(half.length).toBeGreaterThanOrEqual(QUESTIONS_MIN / 2);
  }
  expect(shareOf(seen)).toBeGreaterThanOrEqual(FLOOR);
  expect(shareOf(unseen)).toBeGreaterThanOrEqual(FLOOR);
}, 300_000);

test.each([
  ["mongodb", null],
  ["duckdb", "duckdb"],
] as const)(
  "the library's questions are answered on %s through the product's driver",
  async (name, dialect) => {
    const engine = await driverEngine(name, dialect, libraryTables());
    const reference = await postgresEngine(libraryTables());
    try {
      // The reference is in PostgreSQL's dialect.
      if (!engine || !reference) return;
      const outcomes = await evaluate(offlineModel(), engine, "Library", LIBRARY_QUESTIONS, reference);
      expect(shareOf(outcomes)).toBeGreaterThanOrEqual(FLOOR);
    } finally {
      await engine?.stop();
      await reference?.stop();
    }
  },
  300_000,
);
