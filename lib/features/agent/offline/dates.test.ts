import { expect, test } from "vitest";
import { findDates } from "./dates";

/** A Wednesday. */
const TODAY = "2026-03-18";

test.each([
  ["orders last month", "2026-02-01", "2026-03-01"],
  ["orders this quarter", "2026-01-01", "2026-04-01"],
  ["orders last week", "2026-03-09", "2026-03-16"],
  ["orders in the last 7 days", "2026-03-11", "2026-03-18"],
  ["orders in the last fifteen days", "2026-03-03", "2026-03-18"],
  ["the past three months", "2025-12-01", "2026-03-01"],
  ["the previous 2 weeks", "2026-03-02", "2026-03-16"],
  ["the last 4 quarters", "2025-01-01", "2026-01-01"],
  ["the last 2 years", "2024-01-01", "2026-01-01"],
  ["orders yesterday", "2026-03-17", "2026-03-18"],
  ["orders in 2024", "2024-01-01", "2025-01-01"],
  ["orders since March", "2026-03-01", null],
  // A month that has not started this year means last year's.
  ["orders in November", "2025-11-01", "2025-12-01"],
  ["orders in May 2025", "2025-05-01", "2025-06-01"],
  ["orders before 2025", null, "2025-01-01"],
  ["orders after June 2025", "2025-07-01", null],
  ["orders until 2025-02-10", null, "2025-02-11"],
  ["between 2025-01-10 and 2025-01-20", "2025-01-10", "2025-01-21"],
  ["from January to March 2026", "2026-01-01", "2026-04-01"],
  ["orders between March and May 2025", "2025-03-01", "2025-06-01"],
  ["orders between November and February", "2025-11-01", "2026-03-01"],
  ["Q2 2025", "2025-04-01", "2025-07-01"],
  ["the third quarter of 2025", "2025-07-01", "2025-10-01"],
  ["the first half of 2025", "2025-01-01", "2025-07-01"],
  ["on 5 March 2025", "2025-03-05", "2025-03-06"],
  ["on March 31st, 2025", "2025-03-31", "2025-04-01"],
  ["year to date", "2026-01-01", "2026-03-19"],
  ["the last 1 months", "2026-02-01", "2026-03-01"],
])("%s", (text, start, end) => {
  expect(findDates(text, TODAY).map((date) => [date.start, date.end])).toEqual([[start, end]]);
});

test.each(["how may I help", "march through the data", "2024567 rows", "Marching bands"])(
  "%s contains no date",
  (text) => {
    expect(findDates(text, TODAY)).toEqual([]);
  },
);
