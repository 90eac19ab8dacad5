import { expect, test } from "vitest";
import { countLines } from "./line-counts";

test.each([
  ["a line more", "one\n", "one\ntwo\n", 1, 0],
  ["a line more, neither with a last newline", "one", "one\ntwo", 1, 0],
  ["a last newline alone", "one", "one\n", 0, 0],
  ["another line in its place", "one\ntwo\n", "one\nthree\n", 1, 1],
  ["a new text", "", "one\ntwo", 2, 0],
  ["no text any more", "one\ntwo\n", "", 0, 2],
])("%s", (_, before, after, additions, deletions) => {
  expect(countLines(before, after)).toEqual({ additions, deletions });
});
