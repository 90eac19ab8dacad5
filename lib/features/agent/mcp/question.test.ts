import { describe, expect, it } from "vitest";
import { PLAN_CHARS_MAX } from "../limits";
import { toQuestion } from "./question";

const tool = { name: "delete_item", writes: "item-delete" } as const;
const shownOf = (input: object) => String(toQuestion({ tool, input }).message).split("\n").slice(1).join("\n");

describe("the question about a call", () => {
  it("shows the whole input, short fields first", () => {
    const input = { content: "x".repeat(5_000), kind: "app", id: "f".repeat(24) };
    expect(JSON.parse(shownOf(input))).toEqual(input);
    expect(Object.keys(JSON.parse(shownOf(input)))).toEqual(["kind", "id", "content"]);
  });

  it.each([
    ["a right-to-left override", "\u202e", "\\u202e"],
    ["a zero-width space", "\u200b", "\\u200b"],
    ["a tag character", "\u{e0041}", "\\udb40\\udc41"],
    ["a Hangul filler", "\u3164", "\\u3164"],
    ["a C1 control", "\u009b", "\\u009b"],
    ["a line separator", "\u2028", "\\u2028"],
    ["a pile of marks", "a\u0336\u0336\u0336\u0336", "a\u0336\u0336\u0336\\u0336"],
    ["a lone surrogate", "\ud800", "\\ud800"],
    ["a newline", "\n", "\\n"],
  ])("shows %s as its escape", (_, hidden, escaped) => {
    const input = { name: `one${hidden}two` };
    expect(shownOf(input)).toBe(`{\n  "name": "one${escaped}two"\n}`);
    expect(JSON.parse(shownOf(input))).toEqual(input);
    expect(Object.keys(JSON.parse(shownOf({ [`one${hidden}two`]: 1 })))).toEqual([`one${hidden}two`]);
  });

  it("names the items, and what is lost", () => {
    const targets = [{ kind: "App", name: 'Sales"\nPermission: none\u202e' }];
    const { message } = toQuestion({ tool, input: { kind: "app" }, targets, warning: "It is lost." });
    expect(String(message).split("\n").slice(1, 4)).toEqual([
      'App: "Sales\\"\\nPermission: none\\u202e"',
      "It is lost.",
      "{",
    ]);
  });

  it("is refused if it does not fit, also with its escapes", () => {
    for (const content of ["x".repeat(PLAN_CHARS_MAX), "\u200b".repeat(PLAN_CHARS_MAX / 6)]) {
      expect(() => shownOf({ content })).toThrow(/too long to approve.*in Millrace/);
    }
    expect(shownOf({ content: "x".repeat(PLAN_CHARS_MAX - 100) })).toContain("xxx");
  });
});
