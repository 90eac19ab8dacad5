import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { expect, it, vi } from "vitest";
import { NICENESS } from "@/lib/platform/process/lower-priority";
import { HASHES_AT_ONCE } from "./hashing-threads";
import { hashPassword, inLineForHashing, verifyPassword } from "./passwords";

const PASSWORD = "seven herons by the mill";

/** Threads that Node starts for files, look-ups and the like. */
const NODE_THREADS = 4;

/** Returns the niceness of every thread of this process. */
function nicenesses(): number[] {
  return readdirSync("/proc/self/task").map((task) => {
    const stat = readFileSync(`/proc/self/task/${task}/stat`, "utf8");
    // The thread's name is in brackets and may contain any character.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  });
}

it("verifies old passwords, and none against an invalid hash", async () => {
  const stored = await hashPassword(PASSWORD);
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verifyPassword(stored, PASSWORD)).toBe(true);
  expect(await verifyPassword(stored, `${PASSWORD} `)).toBe(false);
  expect(await verifyPassword("not a hash", PASSWORD)).toBe(false);
  expect(await verifyPassword(null, PASSWORD)).toBe(false);
});

it("leaves Node.js threads free during a flood of hashes, and yields to the server's own (T6)", async () => {
  let hashed = 0;
  let isOver = false;
  const hashOn = async () => {
    while (!isOver) {
      await hashPassword(PASSWORD);
      hashed += 1;
    }
  };
  const flood = Array.from({ length: 2 * NODE_THREADS }, hashOn);
  await vi.waitFor(() => expect(hashed).toBeGreaterThan(0), 30_000);
  hashed = 0;
  // If reads shared the threads with the hashes, each read would wait for as many hashes as there are threads.
  for (let round = 0; round < 20; round += 1) await readFile(new URL(import.meta.url));
  expect(hashed).toBeLessThan(20 * NODE_THREADS);
  // This test's thread is the one that serves requests. Started with a low priority, it has no thread behind it.
  const own = getPriority();
  if (process.platform === "linux" && own < NICENESS) {
    const behind = nicenesses().filter((each) => each > own);
    expect(behind.length).toBeGreaterThan(0);
    expect(behind.length).toBeLessThanOrEqual(HASHES_AT_ONCE);
  }
  isOver = true;
  await Promise.all(flood);
});

it("rejects callers before any work when the queue is full (T6)", async () => {
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  const comers = Array.from({ length: 500 }, () =>
    inLineForHashing(async () => {
      begun += 1;
      await gate.promise;
    }),
  );
  const outcomes = Promise.allSettled(comers);
  await expect(comers[499]).rejects.toMatchObject({ kind: "unavailable", retryAfterSeconds: expect.any(Number) });
  expect(begun).toBe(64 + HASHES_AT_ONCE);
  gate.resolve();
  await outcomes;
  await expect(inLineForHashing(async () => "in")).resolves.toBe("in");
});
