import { expect, it } from "vitest";
import type { Load } from "@/lib/features/connections/data-source";
import { toPosition, writtenOf } from "./batch-position";

const BATCH = "0123456789abcdef01234567";
const resumed = (position: unknown, isResumed = true) => ({ isResumed, position }) as Load["state"];

it.each([
  [1, 3, []],
  [2, 3, [0]],
  [2, 3, [0, 1]],
  [3, 3, []],
  [3, 3, [2]],
  [1, 1, [0]],
  [499, 500, []],
])(
  "C7 resumes at event %i of %i, and an earlier version accepts only a whole batch as written",
  (at, count, refused) => {
    const position = toPosition(BATCH, { at, refused }, count);
    expect(writtenOf(resumed(position), BATCH, count)).toEqual({ at, refused });
    // The comparison of servers that do not know parts.
    expect(position.batch === BATCH).toBe(at === count);
  },
);

it.each([
  ["a whole batch of an earlier version", { batch: BATCH }, { at: 3, refused: [] }],
  ["a part under the plain name", { batch: BATCH, at: 1, refused: [0] }, { at: 1, refused: [0] }],
  ["a part of another batch", { batch: "other#part", at: 1 }, { at: 0, refused: [] }],
  ["another batch", { batch: "other" }, { at: 0, refused: [] }],
  ["no position", null, { at: 0, refused: [] }],
])("C7 reads %s", (_, position, expected) => {
  expect(writtenOf(resumed(position), BATCH, 3)).toEqual(expected);
});

it("C7 writes all events of a batch whose load is not resumed", () => {
  const position = toPosition(BATCH, { at: 2, refused: [] }, 3);
  expect(writtenOf(resumed(position, false), BATCH, 3)).toEqual({ at: 0, refused: [] });
});
