import { expect, it } from "vitest";
import { COLUMN_NAMES_CHARS_MAX, columnLimitProblem, namesLimitProblem, RESULT_COLUMNS_MAX } from "./column-limits";

it.each([
  [0, 0, null],
  [1, COLUMN_NAMES_CHARS_MAX, null],
  [RESULT_COLUMNS_MAX, 5000, null],
  [RESULT_COLUMNS_MAX + 1, 5001, "The result has 5,001 columns, and at most 5,000 are allowed. Select fewer columns."],
  [40_000, 40_000, expect.stringMatching(/^The result has 40,000 columns/)],
  [1, COLUMN_NAMES_CHARS_MAX + 1, expect.stringMatching(/Give the columns shorter names\.$/)],
])("C2 checks %i columns with names of %i characters", (columns, chars, problem) => {
  expect(columnLimitProblem(columns, chars)).toEqual(problem);
});

it("C2 sums the lengths of the names", () => {
  const name = "n".repeat(1000);
  const of = (count: number) => Array.from({ length: count }, () => ({ name }));
  expect(namesLimitProblem(of(1000))).toBeNull();
  expect(namesLimitProblem(of(1001))).toMatch(/1,001,000 characters/);
});
