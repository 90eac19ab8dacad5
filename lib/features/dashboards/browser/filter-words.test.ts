import { expect, test } from "vitest";
import { isPreset } from "@/lib/base/values/date-presets";
import { describeClick, describeValue, toFilterName } from "@/lib/features/dashboards/browser/filter-words";

test("describes a filter's value, and nothing for an open one", () => {
  const said = [null, undefined, "", [], {}, "north", 7, true, ["north", null], ["", "b"], ["a", "b", "c"]].map(
    describeValue,
  );
  expect(said).toEqual([null, null, null, null, null, "north", "7", "true", "north, null", "(empty), b", "3 values"]);
});

test("describes day ranges by their ends, and presets by name", () => {
  expect(describeValue({ from: "2026-03-02", to: "2026-03-03" })).toBe("2 Mar 2026 to 3 Mar 2026");
  expect(describeValue({ from: "2026-03-02", to: "2026-03-02" })).toBe("2 Mar 2026");
  expect(describeValue({ from: "2026-03-01", to: "2026-03-31" })).toBe("Mar 2026");
  expect(describeClick({ placed_at: { from: "2026-01-01", to: "2026-03-31" }, region: ["north"] })).toBe(
    "Q1 2026, north",
  );
  expect(describeClick(null)).toBe("");
  expect(describeValue({ from: "2026-03-02" })).toBe("since 2 Mar 2026");
  expect(describeValue({ to: "2026-03-02" })).toBe("until 2 Mar 2026");
  expect(describeValue("last7Days")).toBe("Last 7 days");
  expect(isPreset("toString")).toBe(false);
});

test("names a filter without a title by its field", () => {
  expect([toFilterName({ title: null, field: "region" }), toFilterName({ title: "Where", field: "region" })]).toEqual([
    "region",
    "Where",
  ]);
});
