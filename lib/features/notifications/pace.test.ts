// @module-tag heavy
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { takePace } from "./pace";

/** Tolerance in ms: timers are read to the millisecond, and a small delay is made up for. */
const SLACK_MS = 10;

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe("the pace of sends (F13)", () => {
  it("is 222 a second over all calls together", async () => {
    const calls = () => Promise.all(Array.from({ length: 21 }, () => takePace(5)));
    expect(await msOf(calls)).toBeGreaterThanOrEqual(20 * 5 * 4.5 - SLACK_MS);
  });

  it("does not count skipped sends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const taken = takePace(1_000);
    await vi.runAllTimersAsync();
    const { giveBack } = await taken;
    giveBack(1_000);
    const since = performance.now();
    const next = takePace(1);
    await vi.runAllTimersAsync();
    await next;
    // A thousand gaps are 4,500 ms.
    expect(performance.now() - since).toBeLessThan(1_000);
  });

  it("slows down while the server is late", async () => {
    for (let i = 0; i < 30; i += 1) {
      const turns = [takePace(5), takePace(1)];
      block(60);
      await Promise.all(turns);
    }
    const twentyAndOne = async () => {
      await takePace(20);
      await takePace(1);
    };
    // At least 20 * 4.5 on an idle machine. The lateness of timers depends on the machine, so the maximum gap is not
    // checked.
    expect(await msOf(twentyAndOne)).toBeGreaterThanOrEqual(3 * 20 * 4.5);
  });
});
