import { describe, expect, it } from "vitest";
import { findMention, withMentionMark } from "./mentions";

describe("findMention", () => {
  it("returns the range from the @ to the caret", () => {
    expect(findMention("@", 1)).toEqual({ from: 0, to: 1 });
    expect(findMention("Compare @order_items.v2", 23)).toEqual({ from: 8, to: 23 });
    expect(findMention("Compare @orders with", 12)).toEqual({ from: 8, to: 12 });
    expect(findMention("In @größe", 9)).toEqual({ from: 3, to: 9 });
  });

  it("ignores an @ inside a word, and a mention that a space has ended", () => {
    expect(findMention("ana@example", 11)).toBeNull();
    expect(findMention("@orders ", 8)).toBeNull();
  });
});

it("puts a space before the @ only after a word", () => {
  expect(["", "See ", "See"].map(withMentionMark)).toEqual(["@", "See @", "See @"]);
});
