import { z } from "zod";
import { toPathText, toShownName } from "@/lib/base/values/problem-path";

type Issue = z.core.$ZodRawIssue;

/** Maximum number of allowed values or keys that a message lists. */
const LISTED_MAX = 20;

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  map: "an object",
  date: "a date",
  null: "null",
  undefined: "left out",
};
const FORMATS: Readonly<Record<string, string>> = {
  email: "an email address, such as name@example.com",
  url: "a URL, such as https://example.com",
  uuid: "a UUID",
  datetime: "a UTC time, such as 2026-11-25T07:00:00.000Z",
  date: "a date, such as 2026-11-25",
  time: "a time, such as 07:00:00",
  duration: "an ISO 8601 duration, such as PT15M",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  base64: "Base64 text",
  base64url: "Base64url text",
  json_string: "JSON text",
};
const UNITS: Readonly<Record<string, [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["item", "items"],
  set: ["item", "items"],
  map: ["entry", "entries"],
  record: ["entry", "entries"],
  object: ["entry", "entries"],
  file: ["byte", "bytes"],
};

/** Makes every schema without its own message explain how to correct a value. Applies to the whole process. */
export function installInputMessages(): void {
  z.config({ customError: toInputMessage });
}

/** Returns a sentence that says which values a schema takes; it repeats no value, and names of keys in part. */
export function toInputMessage(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "Required." : `Must be ${TYPES[issue.expected] ?? issue.expected}.`;
    case "invalid_value":
      return toChoice(issue.values);
    case "too_big":
    case "too_small":
      return toLimit(issue);
    case "invalid_format":
      return toFormat(issue);
    case "not_multiple_of":
      return `Must be a multiple of ${issue.divisor}.`;
    case "unrecognized_keys":
      return `Unknown ${issue.keys.length === 1 ? "field" : "fields"}: ${list(issue.keys)}. Remove or rename.`;
    case "invalid_key":
    case "invalid_element":
      return issue.issues[0]?.message ?? "Must be a valid key.";
    case "invalid_union":
      return toUnion(issue);
    default:
      return "Must be a valid value.";
  }
}

function list(values: readonly unknown[]): string {
  const shown = values
    .slice(0, LISTED_MAX)
    .map((value) => toShownName(String(value)))
    .join(", ");
  return values.length > LISTED_MAX ? `${shown} and ${values.length - LISTED_MAX} more` : shown;
}

function toChoice(values: readonly unknown[]): string {
  return values.length === 1 ? `Must be ${String(values[0])}.` : `Must be one of: ${list(values)}.`;
}

function toLimit(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig> | z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>) {
  const limit = issue.code === "too_big" ? issue.maximum : issue.minimum;
  const unit = UNITS[issue.origin];
  if (unit && issue.code === "too_small" && Number(limit) === 1 && !issue.exact) return "Must not be empty.";
  const word = issue.exact ? "exactly" : issue.code === "too_big" ? "at most" : "at least";
  const strict = issue.code === "too_big" ? "less than" : "greater than";
  if (unit) return `Must have ${word} ${limit} ${unit[Number(limit) === 1 ? 0 : 1]}.`;
  return `Must be ${issue.inclusive === false ? strict : word} ${limit}.`;
}

function toFormat(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  if ("prefix" in issue) return `Must start with “${issue.prefix}”.`;
  if ("suffix" in issue) return `Must end with “${issue.suffix}”.`;
  if ("includes" in issue) return `Must contain “${issue.includes}”.`;
  if ("pattern" in issue && issue.format === "regex") return `Must match the pattern ${issue.pattern}.`;
  const format = FORMATS[issue.format];
  return format ? `Must be ${format}.` : "Must be in a valid format.";
}

/** Explains the option that the value is closest to: the one that fails deepest inside of it. */
function toUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  if ("options" in issue && Array.isArray(issue.options) && issue.options.length > 0) return toChoice(issue.options);
  const firsts = issue.errors.flatMap(([first]) => (first ? [first] : []));
  const expected = firsts.flatMap((each) =>
    each.code === "invalid_type" && each.path.length === 0 ? [TYPES[each.expected] ?? each.expected] : [],
  );
  if (issue.input === undefined) return "Required.";
  if (expected.length > 0 && expected.length === firsts.length)
    return `Must be ${[...new Set(expected)].join(" or ")}.`;
  const closest = firsts
    .filter(({ code, path }) => code !== "invalid_type" || path.length > 0)
    .sort((a, b) => b.path.length - a.path.length)[0];
  if (!closest) return "Must be a valid value.";
  return closest.path.length > 0 ? `${toPathText(closest.path)}: ${closest.message}` : closest.message;
}
