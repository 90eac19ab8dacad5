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

test("finds the latest earlier plan of the same statement in any layout", () => {
  const kept = [PLAN, { ...PLAN, at: 20 }, { ...PLAN, at: 25, statement: "select 2 from t" }];
  expect(findEarlier(kept, { ...PLAN, statement: "select 1 from t ", at: 30 })?.at).toBe(20);
  expect(findEarlier(kept, { ...PLAN, at: 10 })).toBeNull();
  expect(findEarlier(kept, { ...PLAN, connectionId: "b", at: 30 })).toBeNull();
  expect(findEarlier(kept, { ...PLAN, isMeasured: false, at: 30 })).toBeNull();
});

test("keeps a limited number, without duplicates or oversized ones", () => {
  let kept: KeptPlan[] = [];
  for (let at = 1; at <= 40; at += 1) kept = keepPlan(kept, { ...PLAN, at });
  expect([kept.length, kept[0]?.at, kept.at(-1)?.at]).toEqual([25, 16, 40]);
  expect(keepPlan(kept, { ...PLAN, at: 40 })).toHaveLength(25);
  expect(keepPlan([], { ...PLAN, text: "x".repeat(20_001) })).toEqual([]);
});

test("survives invalid stored data", () => {
  expect(parseKeptPlans(JSON.stringify([PLAN]))).toEqual([PLAN]);
  for (const bad of [null, "", "{", "[1]", '[{"at":"x"}]']) expect(parseKeptPlans(bad)).toEqual([]);
});
