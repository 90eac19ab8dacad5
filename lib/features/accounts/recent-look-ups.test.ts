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

it("returns a cached result until its expiry, counted from the lookup", async () => {
  const { at, state, ask } = bench();
  expect(await ask()).toBe("ana");
  state.value = "ben";
  at.ms += LIFE_MS - 1;
  expect([await ask(), state.asked]).toEqual(["ana", 1]);
  at.ms += 1;
  expect([await ask(), state.asked]).toEqual(["ben", 2]);
});

it("returns nothing cached after a write (T11, T19)", async () => {
  const { state, ask } = bench();
  await ask();
  state.value = undefined;
  state.changes += 1;
  expect(await ask()).toBeUndefined();
});

it("returns a result written meanwhile to its caller only", async () => {
  const { state, ask } = bench();
  const under = ask();
  state.changes += 1;
  await under;
  state.value = undefined;
  expect(await ask()).toBeUndefined();
});

it("looks up a missing entry again", async () => {
  const { state, ask } = bench();
  state.value = undefined;
  expect(await ask()).toBeUndefined();
  state.value = "ana";
  expect(await ask()).toBe("ana");
});

it("keeps the latest entries up to the limit", async () => {
  const { state, ask } = bench(2);
  for (const key of ["a", "b", "c"]) await ask(key);
  expect(state.asked).toBe(3);
  await ask("b");
  await ask("c");
  expect(state.asked).toBe(3);
  await ask("a");
  expect(state.asked).toBe(4);
});
