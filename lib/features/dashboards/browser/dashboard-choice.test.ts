import { expect, test } from "vitest";
import { readChoice, toChoiceText, toClickValue, toParam } from "@/lib/features/dashboards/browser/dashboard-choice";

test("the address holds filters and clicks, and what is cut in two is left out", () => {
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

test("one choice is one text, whatever the order", () => {
  expect(toChoiceText({ b: 1, a: 2 })).toBe(toChoiceText({ a: 2, b: 1 }));
});

test("a click is an object of lists and ranges, and nothing else that a link may hold", () => {
  expect([5, null, ["a"], { region: "north" }, { region: null }].map(toClickValue)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
  expect(toClickValue({ region: ["north"] })).toEqual({ region: ["north"] });
});
