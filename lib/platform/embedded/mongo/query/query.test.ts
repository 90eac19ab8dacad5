import { expect, test } from "vitest";
import { PAUSE, paced, sortByTurns } from "../scheduling/flow.ts";

test("sorts in slices like Array.sort, stable, with pauses", () => {
  for (const length of [0, 1, 1023, 1024, 1025, 5000]) {
    const items = Array.from({ length }, (_, place) => ({ key: (place * 7919) % 97, place }));
    const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
    const sorting = sortByTurns(items, compare);
    let pauses = 0;
    let step = sorting.next();
    for (; !step.done; step = sorting.next()) pauses++;
    expect(step.value).toEqual(items.toSorted(compare));
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(length / 1024));
  }
});

test("pauses between slow items and keeps them all", () => {
  function* slow() {
    for (let i = 0; i < 3; i++) {
      const until = performance.now() + 6;
      while (performance.now() < until);
      yield i;
    }
  }
  expect([...paced(slow())]).toEqual([PAUSE, 0, PAUSE, 1, PAUSE, 2]);
});
