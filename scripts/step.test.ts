import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { step } from "./support/step.mjs";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function written(isTTY: boolean, seconds: number, fails = false): Promise<string> {
  let text = "";
  const out = { isTTY, write: (part: string) => (text += part) };
  const work = () =>
    new Promise<void>((resolve, reject) =>
      setTimeout(fails ? () => reject(new Error("no disk")) : resolve, seconds * 1000),
    );
  const done = step("Building", work, out).catch((error) => (text += error.message));
  await vi.advanceTimersByTimeAsync(seconds * 1000);
  await done;
  return text;
}

test("logs the start and the duration of a step", async () => {
  expect(await written(false, 3)).toBe("Building ...\nBuilding ... done in 3 s\n");
});

test("reports a long step to a log from time to time", async () => {
  expect(await written(false, 31)).toBe(
    "Building ...\nBuilding ... 15 s\nBuilding ... 30 s\nBuilding ... done in 31 s\n",
  );
});

test("counts seconds in one terminal line", async () => {
  expect(await written(true, 2)).toBe("Building ...\rBuilding ... 1 s\rBuilding ... done in 2 s\n");
});

test("keeps the line of a failed step and passes the error on", async () => {
  expect(await written(true, 1, true)).toBe("Building ...\rBuilding ... 1 s\nno disk");
});
