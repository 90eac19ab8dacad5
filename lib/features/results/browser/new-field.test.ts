import { expect, test } from "vitest";
import { type NewFieldType, toNewFieldText } from "./new-field";

test.each<[NewFieldType, string, string | null]>([
  ["text", '{"a" ', '"{\\"a\\" "'],
  ["text", "", '""'],
  ["number", " 12 ", "12"],
  ["number", "-0.50", "-0.50"],
  ["number", "1e400", "1e400"],
  ["number", "0x10", null],
  ["number", "", null],
  ["boolean", "true", "true"],
  ["boolean", "yes", null],
  ["date", "2026-01-31", '{"$date":"2026-01-31T00:00Z"}'],
  ["date", "2026-01-31 07:00", '{"$date":"2026-01-31T07:00Z"}'],
  ["date", "2026-01-31T07:00:05.123+02:00", '{"$date":"2026-01-31T07:00:05.123+02:00"}'],
  ["date", "31 January", null],
  ["null", "ignored", "null"],
  ["json", ' {"a": [1, 2.0]} ', '{"a": [1, 2.0]}'],
  ["json", "{a: 1}", null],
])("writes %s %s as Extended JSON", (type, text, wanted) => {
  const written = toNewFieldText(type, text);
  expect("text" in written ? written.text : null).toBe(wanted);
  if ("problem" in written) expect(written.problem).toMatch(/^Enter .*\.$/);
});
