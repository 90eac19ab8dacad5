import { expect, test } from "vitest";
import { type Landed, mergeHistories, windowFor } from "./merge-histories";

const at = (second: number, subject: string, status = "modified"): Landed => ({
  date: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
  subject,
  status,
});
const subjects = (items: Landed[]) => items.map(({ subject }) => subject);

test("two histories are one, newest first", () => {
  const { items, taken } = mergeHistories([at(5, "e"), at(2, "b")], [at(4, "d"), at(3, "c"), at(1, "a")], 10);
  expect(subjects(items)).toEqual(["e", "d", "c", "b", "a"]);
  expect(taken).toEqual([2, 3]);
});

test("a change of sides shows once, in its place, even when all happens within one second", () => {
  const priv = [at(1, "hide", "added"), at(1, "share", "deleted"), at(1, "one"), at(1, "create", "added")];
  const shared = [at(1, "hide", "deleted"), at(1, "two"), at(1, "share", "added")];
  const expected = ["hide", "two", "share", "one", "create"];
  expect(subjects(mergeHistories(priv, shared, 10).items)).toEqual(expected);
  expect(subjects(mergeHistories(shared, priv, 10).items)).toEqual(expected);
});

test("a deletion without a twin stays", () => {
  const { items } = mergeHistories([at(3, "back", "added"), at(2, "delete", "deleted"), at(1, "create")], [], 10);
  expect(subjects(items)).toEqual(["back", "delete", "create"]);
});

test("a page of any length leaves off where the next one begins", () => {
  const a = [at(6, "x", "added"), at(4, "y", "deleted"), at(3, "3"), at(1, "1")];
  const b = [at(6, "x", "deleted"), at(5, "5"), at(4, "y", "added"), at(2, "2")];
  const whole = subjects(mergeHistories(a, b, 100).items);
  expect(whole).toEqual(["x", "5", "y", "3", "2", "1"]);
  for (let limit = 1; limit <= 7; limit++) {
    const paged: string[] = [];
    let from: [number, number] = [0, 0];
    for (let page = 0; page < 8; page++) {
      const window = (list: Landed[], start: number) => list.slice(start, start + windowFor(limit));
      const { items, taken } = mergeHistories(window(a, from[0]), window(b, from[1]), limit);
      paged.push(...subjects(items));
      from = [from[0] + taken[0], from[1] + taken[1]];
    }
    expect(paged).toEqual(whole);
  }
});
