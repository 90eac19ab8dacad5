import { expect, it } from "vitest";
import { textChanges } from "./text-changes";

function apply(text: string, changes: ReturnType<typeof textChanges>): string {
  return changes.reduceRight((done, { from, to, insert }) => done.slice(0, from) + insert + done.slice(to), text);
}

it.each([
  ["a\nb\nc\n", "a\nB\nc\n", [{ from: 2, to: 4, insert: "B\n" }]],
  ["a\nb\nc", "0\na\nc\nd", undefined],
  ["", "a\n", undefined],
  ["a\nb", "", undefined],
  ["same", "same", []],
])("turns %j into %j with edits of the changed lines only", (before, after, changes) => {
  expect(apply(before, textChanges(before, after))).toBe(after);
  if (changes) expect(textChanges(before, after)).toEqual(changes);
});
