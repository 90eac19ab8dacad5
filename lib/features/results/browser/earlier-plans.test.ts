import { expect, test } from "vitest";
import { findEarlier, type KeptPlan, keepPlan, parseKeptPlans } from "./earlier-plans";

const PLAN: KeptPlan = {
  connectionId: "a",
  statement: "select 1\nfrom t",
  isMeasured: true,
  at: 10,
  text: "Seq Scan",
  steps: 1,
  totalMs: 2,
};

test("the latest earlier plan of the same statement is found, however it is laid out", () => {
  const kept = [PLAN, { ...PLAN, at: 20 }, { ...PLAN, at: 25, statement: "select 2 from t" }];
  expect(findEarlier(kept, { ...PLAN, statement: "select 1 from t ", at: 30 })?.at).toBe(20);
  expect(findEarlier(kept, { ...PLAN, at: 10 })).toBeNull();
  expect(findEarlier(kept, { ...PLAN, connectionId: "b", at: 30 })).toBeNull();
  expect(findEarlier(kept, { ...PLAN, isMeasured: false, at: 30 })).toBeNull();
});

test("so many are kept, none twice, and none that is too long", () => {
  let kept: KeptPlan[] = [];
  for (let at = 1; at <= 40; at += 1) kept = keepPlan(kept, { ...PLAN, at });
  expect([kept.length, kept[0]?.at, kept.at(-1)?.at]).toEqual([25, 16, 40]);
  expect(keepPlan(kept, { ...PLAN, at: 40 })).toHaveLength(25);
  expect(keepPlan([], { ...PLAN, text: "x".repeat(20_001) })).toEqual([]);
});

test("what the store has may be anything", () => {
  expect(parseKeptPlans(JSON.stringify([PLAN]))).toEqual([PLAN]);
  for (const bad of [null, "", "{", "[1]", '[{"at":"x"}]']) expect(parseKeptPlans(bad)).toEqual([]);
});
