import { expect, test } from "vitest";
import { type Landed, mergeHistories, windowFor } from "./merge-histories";

type Named = Landed & { subject: string };

/** Returns a commit of a change, all within one second: dates do not decide. */
const by = (change: number, subject: string, status = "modified", second = 1): Named => ({
  date: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
  subject,
  status,
  change,
});
const foreign = (second: number, subject: string, status = "modified"): Named => ({
  ...by(0, subject, status, second),
  change: null,
});
const subjects = (items: Named[]) => items.map(({ subject }) => subject);

test("merges two histories, newest first", () => {
  const { items, taken } = mergeHistories([by(5, "e"), by(2, "b")], [by(4, "d"), by(3, "c"), by(1, "a")], 10);
  expect(subjects(items)).toEqual(["e", "d", "c", "b", "a"]);
  expect(taken).toEqual([2, 3]);
});

test("places pushed commits by date", () => {
  const { items } = mergeHistories(
    [foreign(5, "e"), foreign(2, "b")],
    [by(4, "d", "modified", 4), foreign(3, "c")],
    10,
  );
  expect(subjects(items)).toEqual(["e", "d", "c", "b"]);
});

test.each<[string, Named[], Named[], string[]]>([
  [
    "to and fro",
    [by(5, "hide", "added"), by(3, "share", "deleted"), by(2, "one"), by(1, "create", "added")],
    [by(5, "hide", "deleted"), by(4, "two"), by(3, "share", "added")],
    ["hide", "two", "share", "one", "create"],
  ],
  [
    "and then deleted and brought back",
    [by(2, "share", "deleted"), by(1, "create", "added")],
    [by(4, "back", "added"), by(3, "delete", "deleted"), by(2, "share", "added")],
    ["back", "delete", "share", "create"],
  ],
  [
    "by a server whose clock is behind, so that the twins have two dates",
    [by(2, "share", "deleted", 9), by(1, "create", "added", 9)],
    [by(3, "save", "modified", 4), by(2, "share", "added", 4)],
    ["save", "share", "create"],
  ],
])("shows a change of space once, at its place: %s", (_, a, b, expected) => {
  expect(subjects(mergeHistories(a, b, 10).items)).toEqual(expected);
  expect(subjects(mergeHistories(b, a, 10).items)).toEqual(expected);
});

test("keeps a deletion without a counterpart", () => {
  const { items } = mergeHistories([by(3, "back", "added"), by(2, "delete", "deleted"), by(1, "create")], [], 10);
  expect(subjects(items)).toEqual(["back", "delete", "create"]);
});

test("ends a page of any length where the next one starts", () => {
  const a = [by(6, "x", "added"), by(4, "y", "deleted"), by(3, "3"), by(1, "1")];
  const b = [by(6, "x", "deleted"), by(5, "5"), by(4, "y", "added"), by(2, "2")];
  const whole = subjects(mergeHistories(a, b, 100).items);
  expect(whole).toEqual(["x", "5", "y", "3", "2", "1"]);
  for (let limit = 1; limit <= 7; limit++) {
    const paged: string[] = [];
    let from: [number, number] = [0, 0];
    for (let page = 0; page < 8; page++) {
      const window = (list: Named[], start: number) => list.slice(start, start + windowFor(limit));
      const { items, taken } = mergeHistories(window(a, from[0]), window(b, from[1]), limit);
      paged.push(...subjects(items));
      from = [from[0] + taken[0], from[1] + taken[1]];
    }
    expect(paged).toEqual(whole);
  }
});
