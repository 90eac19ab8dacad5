import { expect, test } from "vitest";
import { toEra } from "./column-values";

// ISO 8601 has a year 0, which is 1 BC, and adds a sign to years of more than four digits.
test.each([
  ["2026-10-23T18:00:00Z", "2026-10-23T18:00:00Z", false],
  ["0001-01-01", "0001-01-01", false],
  ["9999-12-31", "9999-12-31", false],
  ["+010000-01-01", "10000-01-01", false],
  ["+294276-12-31T23:59:59.999999", "294276-12-31T23:59:59.999999", false],
  ["0000-01-01", "0001-01-01", true],
  ["0000-12-31T01:02:03", "0001-12-31T01:02:03", true],
  ["-000001-02-03", "0002-02-03", true],
  ["-000043-03-15T12:00:00Z", "0044-03-15T12:00:00Z", true],
  ["-004712-01-01", "4713-01-01", true],
  ["infinity", "infinity", false],
  ["-infinity", "-infinity", false],
])("C10 computes the year of %s as a database does", (shown, text, isBc) => {
  expect(toEra(shown)).toEqual({ text, isBc });
});
