import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { libraryTables } from "../questions/library-data";
import { LIBRARY_QUESTIONS } from "../questions/library-questions";
import { type Half, halfOf } from "../questions/question";
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

const shareOf = (outcomes: readonly Outcome[], half: Half) => {
  const own = outcomes.filter((outcome) => outcome.half === half);
  return own.filter(({ isRight }) => isRight).length / own.length;
};

test("each half of the questions is answered with the right rows, the half that was not looked at included", async () => {
  const outcomes: Outcome[] = [];
  const sets = questionSets(join(folder, "shop.duckdb"));
  for (const { name, questions, open } of sets) {
    const engine = await open();
    if (!engine) continue;
    outcomes.push(...(await evaluate(offlineModel(), engine, name, questions)));
    await engine.stop();
  }
  const all = sets.flatMap(({ questions }) => questions);
  expect(all.length).toBeGreaterThanOrEqual(QUESTIONS_MIN);
  expect(
    Math.min(...(["seen", "unseen"] as const).map((half) => all.filter((each) => halfOf(each) === half).length)),
  ).toBeGreaterThan(QUESTIONS_MIN / 3);
  expect(shareOf(outcomes, "seen")).toBeGreaterThanOrEqual(FLOOR);
  expect(shareOf(outcomes, "unseen")).toBeGreaterThanOrEqual(FLOOR);
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
      expect(outcomes.filter(({ isRight }) => isRight).length / outcomes.length).toBeGreaterThanOrEqual(FLOOR);
    } finally {
      await engine?.stop();
      await reference?.stop();
    }
  },
  300_000,
);
