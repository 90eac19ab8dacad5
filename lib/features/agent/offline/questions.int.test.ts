import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { splitCases } from "@/test/cases";
import { driverEngine, postgresEngine, sqliteEngine } from "@/test/fixtures/agent/engines";
import { evaluate, type Outcome } from "@/test/fixtures/agent/evaluate";
import { questionSets } from "@/test/fixtures/agent/question-sets";
import { deskTables } from "@/test/fixtures/agent/questions/desk-data";
import { DESK_QUESTIONS } from "@/test/fixtures/agent/questions/desk-questions";
import { libraryTables } from "@/test/fixtures/agent/questions/library-data";
import { LIBRARY_QUESTIONS } from "@/test/fixtures/agent/questions/library-questions";
import { offlineModel } from ".";

/** Minimum share of correct answers in each half, once a person confirms the proposed queries. */
const FLOOR = 0.8;
/** Minimum share of correct answers among those that need no confirmation, and of questions that get one. */
const PRECISION_MIN = 0.95;
const COVERAGE_MIN = 0.4;
/** Minimum number of questions for a meaningful share. */
const QUESTIONS_MIN = 120;
/** Every run asks a third of the questions of the larger set. */
const QUESTIONS_EVERY = 3;

const folder = mkdtempSync(join(tmpdir(), "millrace-questions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shareOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ isRight }) => isRight).length / outcomes.length;

test("answers both halves of the questions correctly, including the unseen half", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const seen: Outcome[] = [];
  const unseen: Outcome[] = [];
  const certain: Outcome[] = [];
  const sets = questionSets(join(folder, "shop.duckdb"));
  for (const set of sets) {
    const engine = await set.open();
    if (!engine) continue;
    seen.push(...(await evaluate(offlineModel(), engine, set.name, set.seen)));
    unseen.push(...(await evaluate(offlineModel(), engine, set.name, set.unseen)));
    for (const half of [set.seen, set.unseen]) {
      certain.push(...(await evaluate(offlineModel(), engine, set.name, half, engine, false)));
    }
    await engine.stop();
  }
  for (const half of [sets.flatMap((set) => set.seen), sets.flatMap((set) => set.unseen)]) {
    expect(half.length).toBeGreaterThanOrEqual(QUESTIONS_MIN / 2);
  }
  const answered = certain.filter((outcome) => outcome.answered !== null);
  expect(shareOf(answered)).toBeGreaterThanOrEqual(PRECISION_MIN);
  expect(answered.length / certain.length).toBeGreaterThanOrEqual(COVERAGE_MIN);
  expect(shareOf(seen)).toBeGreaterThanOrEqual(FLOOR);
  expect(shareOf(unseen)).toBeGreaterThanOrEqual(FLOOR);
});

const LIBRARY = { name: "Library", tables: libraryTables, seen: LIBRARY_QUESTIONS, reference: postgresEngine };
const DESK = { name: "Support desk", tables: deskTables, seen: DESK_QUESTIONS, reference: sqliteEngine };
const wrongOf = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ isRight }) => !isRight).map(({ question }) => question.ask);

describe.each([
  { type: "duckdb", dialect: "duckdb", hasReferences: true },
  { type: "mariadb", dialect: "mysql", hasReferences: true },
  // An `assignee_id` without a foreign key does not tell whose ticket it is.
  { type: "clickhouse", dialect: "clickhouse", hasReferences: false },
  { type: "mongodb", dialect: null, hasReferences: false },
] as const)("on $type, through the product's driver,", ({ type, dialect, hasReferences }) => {
  // Every run has some questions of a set with references, and one set without.
  const sets = [LIBRARY, DESK].flatMap((set) => {
    const whole = { name: set.name, set, seen: set.seen, tags: set === DESK && type === "mongodb" ? [] : ["long"] };
    const [some] = splitCases(set.seen, QUESTIONS_EVERY);
    const part = { ...whole, name: `some of ${set.name}`, seen: some?.cases ?? [], tags: [] };
    return set === LIBRARY && type === "duckdb" ? [part, whole] : [whole];
  });
  for (const { name, set, seen, tags } of sets)
    test(`returns for the questions of ${name} the same rows as elsewhere`, { timeout: 300_000, tags }, async () => {
      const engine = await driverEngine(type, dialect, set.tables());
      // The reference SQL is in its dialect.
      const reference = await set.reference(set.tables());
      try {
        if (!engine || !reference) return;
        const outcomes = await evaluate(offlineModel(), engine, set.name, seen, reference);
        expect(shareOf(outcomes)).toBeGreaterThanOrEqual(FLOOR);
        if (!hasReferences && set === DESK) return;
        const elsewhere = await evaluate(offlineModel(), reference, set.name, seen);
        expect(wrongOf(outcomes)).toEqual(wrongOf(elsewhere));
      } finally {
        await engine?.stop();
        await reference?.stop();
      }
    });
});
