import { expect, it } from "vitest";
import { RecentLookUps } from "./recent-look-ups";

const LIFE_MS = 250;

function bench(max = 10) {
  const at = { ms: 1_000 };
  const state = { value: "ana" as string | undefined, changes: 0, asked: 0 };
  const recent = new RecentLookUps<string>(LIFE_MS, max, () => at.ms);
  const ask = (key = "a") =>
    recent.ask(
      key,
      () => state.changes,
      async () => {
        state.asked += 1;
        return state.value;
      },
    );
  return { at, state, ask };
}

it("what was found is given again until its time is over, counted from the question", async () => {
  const { at, state, ask } = bench();
  expect(await ask()).toBe("ana");
  state.value = "ben";
  at.ms += LIFE_MS - 1;
  expect([await ask(), state.asked]).toEqual(["ana", 1]);
  at.ms += 1;
  expect([await ask(), state.asked]).toEqual(["ben", 2]);
});

it("nothing is given again once something was written (T11, T19)", async () => {
  const { state, ask } = bench();
  await ask();
  state.value = undefined;
  state.changes += 1;
  expect(await ask()).toBeUndefined();
});

it("what is written while it is looked for makes the answer good for its asker alone", async () => {
  const { state, ask } = bench();
  const under = ask();
  state.changes += 1;
  await under;
  state.value = undefined;
  expect(await ask()).toBeUndefined();
});

it("what was not found is looked for again: it may be there by now", async () => {
  const { state, ask } = bench();
  state.value = undefined;
  expect(await ask()).toBeUndefined();
  state.value = "ana";
  expect(await ask()).toBe("ana");
});

it("the last ones are kept, and no more of them than are allowed", async () => {
  const { state, ask } = bench(2);
  for (const key of ["a", "b", "c"]) await ask(key);
  expect(state.asked).toBe(3);
  await ask("b");
  await ask("c");
  expect(state.asked).toBe(3);
  await ask("a");
  expect(state.asked).toBe(4);
});
