import { expect, test } from "vitest";
import { readChoice, toChoiceText, toClickValue, toParam } from "@/lib/features/dashboards/browser/dashboard-choice";

test("keeps filters and clicks in the URL, and drops truncated values", () => {
  const choice = {
    region: ["north", null],
    when: "last7Days",
    "@days": { day: { from: "2026-03-01", to: "2026-03-02" } },
  };
  const query = new URLSearchParams({ wall: "1", "f.cut": '["nor' });
  for (const [key, value] of Object.entries(choice)) query.set(toParam(key), JSON.stringify(value));
  expect([...query.keys()]).toEqual(["wall", "f.cut", "f.region", "f.when", "at.days"]);
  expect(readChoice(query)).toEqual(choice);
});

test("serializes a selection independent of order", () => {
  expect(toChoiceText({ b: 1, a: 2 })).toBe(toChoiceText({ a: 2, b: 1 }));
});

test("accepts only lists and ranges for a click in a link", () => {
  expect([5, null, ["a"], { region: "north" }, { region: null }].map(toClickValue)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
  expect(toClickValue({ region: ["north"] })).toEqual({ region: ["north"] });
});
