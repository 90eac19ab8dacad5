import { describe, expect, test } from "vitest";
import { searchQuery } from "@/lib/features/consoles/schema";
import { emailAddress } from "@/lib/features/users/schema";
import { boundedText, isShortJson, listQuery, trimmedText } from "./schema";

describe("texts", () => {
  test("are counted in visible characters: an emoji is one", () => {
    const name = trimmedText(3, "Empty.");
    for (const right of ["abc", "🦫🦫🦫", "  abc  ", "e\u0301x"]) expect(name.parse(right)).toBe(right.trim());
    for (const wrong of ["abcd", "🦫🦫🦫🦫"])
      expect(name.safeParse(wrong).error?.issues[0]?.message).toMatch(/At most 3/);
    expect(boundedText(3).safeParse(" a ").data).toBe(" a ");
    expect(boundedText(3).safeParse("    ").success).toBe(false);
  });

  test("used as names must not be blank", () => {
    for (const blank of ["", " ", "\t\r\n", "\u00a0\u3000\ufeff\u2028"]) {
      expect([blank, trimmedText(3, "Empty.").safeParse(blank).error?.issues[0]?.message]).toEqual([blank, "Empty."]);
    }
  });

  test("used in searches contain no invalid characters", () => {
    expect(searchQuery.safeParse({ q: "a\u0000b" }).success).toBe(false);
  });
});

test("limits the length of JSON as serialized, before it is parsed", () => {
  const exact = { a: ["b", 1, null] };
  expect(isShortJson(exact, JSON.stringify(exact).length)).toBe(true);
  expect(isShortJson(exact, JSON.stringify(exact).length - 1)).toBe(false);
  // An unpaired surrogate is serialised as six characters.
  expect(isShortJson({ a: "\ud800".repeat(10) }, 40)).toBe(false);
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  expect(isShortJson(circle, 1000)).toBe(false);
});

describe("an email address", () => {
  const at = (local: number, label: number) => `${"a".repeat(local)}@${"b".repeat(label)}.example.com`;
  test("has at most 64 characters in its name and 63 in a label (RFC 5321, RFC 1035)", () => {
    for (const right of [at(64, 63), at(1, 1)]) expect(emailAddress.parse(right)).toBe(right);
    for (const wrong of [at(65, 1), at(1, 64)]) expect(emailAddress.safeParse(wrong).success).toBe(false);
  });

  test("is the same in any case", () => {
    expect(emailAddress.parse("  Ana@Example.COM ")).toBe("ana@example.com");
  });
});

test("clamps any integer limit to 1..200, with any number of digits", () => {
  const limitOf = (limit: string) => listQuery.safeParse({ limit }).data?.limit;
  expect(["1", "0", "-7", "201", "9".repeat(400), `-${"9".repeat(400)}`, "007"].map(limitOf)).toEqual([
    1, 1, 1, 200, 200, 1, 7,
  ]);
  for (const wrong of ["", "a", "1.5", "1e2", " 1", "٣", "--1", "NaN"])
    expect([wrong, limitOf(wrong)]).toEqual([wrong, undefined]);
  expect(listQuery.parse({}).limit).toBe(50);
});
