import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** To collect all garbage, on a machine that does other things too. */
const COLLECT_MS_MAX = 30_000;
const POLL_MS = 50;

/** Settings with which the processes of a server tell what they keep. */
export function heapSettings(root: string): { env: Record<string, string>; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "millrace-heap-"));
  const preload = join(root, "test", "servers", "heap-on-demand.mjs");
  const options = [`--import=${preload}`, process.env.NODE_OPTIONS].filter(Boolean).join(" ");
  return { env: { HEAP_FOLDER: folder, NODE_OPTIONS: options }, folder };
}

/** What a process holds when its garbage is collected, in bytes: its heap and what hangs on it. */
export async function keptHeap(pid: number, folder: string): Promise<number> {
  const file = join(folder, String(pid));
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const until = performance.now() + COLLECT_MS_MAX; performance.now() < until; await sleep(POLL_MS)) {
    try {
      const { heapUsed, external } = JSON.parse(readFileSync(file, "utf8"));
      return heapUsed + external;
    } catch {
      // Not written yet, or not whole.
    }
  }
  throw new Error("The process does not say what it holds.");
}

/** Connections that stand at a port, as the kernel counts them; -1 where it does not tell. */
export function openSockets(port: number): number {
  try {
    const own = port.toString(16).toUpperCase().padStart(4, "0");
    const lines = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n"));
    // Of each: place, own address, other address, state; 01 is an open one.
    return lines.filter((line) => new RegExp(`^\\s*\\d+: \\S+:${own} \\S+ 01 `).test(line)).length;
  } catch {
    return -1;
  }
}
