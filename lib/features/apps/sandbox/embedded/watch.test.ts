import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { canWatch, usageOf } from "./watch";

const THREADS_MAX = 1000;
const started: ChildProcess[] = [];
const start = (command: string, args: string[]): number => {
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  started.push(child);
  return child.pid ?? 0;
};

afterEach(() => {
  for (const { pid } of started.splice(0)) if (pid !== undefined) process.kill(-pid, "SIGKILL");
});

describe.skipIf(process.platform !== "linux")("the resources of a process tree", () => {
  it("include every generation, and no unrelated process", async () => {
    expect(canWatch()).toBe(true);
    start("sleep", ["60"]);
    const pid = start("sh", ["-c", "sh -c 'sleep 60 & sleep 60' & sleep 60"]);
    await vi.waitFor(() => expect(usageOf(pid, THREADS_MAX)).toMatchObject({ processes: 5, threads: 5 }), 20_000);
    expect(usageOf(pid, THREADS_MAX).bytes).toBeGreaterThan(5 * 4096);
  });

  it("include processes started by another thread", async () => {
    const worker = "require('node:child_process').spawn('sleep', ['60'])";
    const program = `new (require("node:worker_threads").Worker)(${JSON.stringify(worker)}, { eval: true }); setInterval(() => {}, 1000)`;
    const pid = start(process.execPath, ["-e", program]);
    await vi.waitFor(() => expect(usageOf(pid, THREADS_MAX).processes).toBe(2), 20_000);
    expect(usageOf(pid, THREADS_MAX).threads).toBeGreaterThan(4);
  });

  it("are counted up to the limit, and zero after the end", async () => {
    const pid = start("sh", ["-c", "for n in 1 2 3 4 5 6 7 8 9; do sleep 60 & done; wait"]);
    await vi.waitFor(() => expect(usageOf(pid, THREADS_MAX).processes).toBe(10), 20_000);
    expect(usageOf(pid, 3).processes).toBe(4);
    expect(usageOf(2 ** 22 + 1, THREADS_MAX)).toEqual({ processes: 0, threads: 0, bytes: 0 });
  });
});
