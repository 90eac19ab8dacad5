import { describe, expect, it } from "vitest";
import { QueueFullError, Semaphore } from "./semaphore.ts";

describe("Semaphore", () => {
  it("runs no more than its limit at once, and the rest in order", async () => {
    const semaphore = new Semaphore(2, 10);
    let active = 0;
    let peak = 0;
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const release = await semaphore.acquire();
        order.push(index);
        active += 1;
        peak = Math.max(peak, active);
        await new Promise((resolve) => setImmediate(resolve));
        active -= 1;
        release();
      }),
    );
    expect(peak).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(semaphore.isIdle).toBe(true);
  });

  it("rejects callers that do not fit in the queue", async () => {
    const semaphore = new Semaphore(1, 1);
    const release = await semaphore.acquire();
    const queued = semaphore.acquire();
    await expect(semaphore.acquire()).rejects.toBeInstanceOf(QueueFullError);
    release();
    (await queued)();
  });

  it("removes a caller that leaves the queue and serves the next", async () => {
    const semaphore = new Semaphore(1, 5);
    const release = await semaphore.acquire();
    const leaving = new AbortController();
    const left = semaphore.acquire(leaving.signal);
    const next = semaphore.acquire();
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    release();
    (await next)();
    expect(semaphore.isIdle).toBe(true);
  });

  it("counts a slot that is released twice once", async () => {
    const semaphore = new Semaphore(1, 0);
    const release = await semaphore.acquire();
    release();
    release();
    const again = await semaphore.acquire();
    await expect(semaphore.acquire()).rejects.toBeInstanceOf(QueueFullError);
    again();
  });

  it("runs work in a slot, and frees it after a failure", async () => {
    const semaphore = new Semaphore(1, 1);
    const failed = semaphore.run(() => Promise.reject(new Error("lost")));
    const second = semaphore.run(async () => 7);
    await expect(failed).rejects.toThrow("lost");
    expect(await second).toBe(7);
    expect(semaphore.isIdle).toBe(true);
  });

  it("recognises a full queue of another copy of the module", () => {
    expect(Object.assign(new Error("full"), { name: "QueueFullError" })).toBeInstanceOf(QueueFullError);
    expect(new Error("full")).not.toBeInstanceOf(QueueFullError);
  });
});
