import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Time to collect all garbage on a busy machine, in ms. */
const COLLECT_MS_MAX = 30_000;
const POLL_MS = 50;

/** Returns settings with which a server's processes report their retained memory. */
export function heapSettings(root: string): { env: Record<string, string>; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "millrace-heap-"));
  const preload = join(root, "test", "servers", "heap-on-demand.mjs");
  const options = [`--import=${preload}`, process.env.NODE_OPTIONS].filter(Boolean).join(" ");
  return { env: { HEAP_FOLDER: folder, NODE_OPTIONS: options }, folder };
}

/** Returns the memory of a process after garbage collection, in bytes: its heap and external memory. */
export async function keptHeap(pid: number, folder: string): Promise<number> {
  const file = join(folder, String(pid));
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const until = performance.now() + COLLECT_MS_MAX; performance.now() < until; await sleep(POLL_MS)) {
    try {
      const { heapUsed, external } = JSON.parse(readFileSync(file, "utf8"));
      return heapUsed + external;
    } catch {
      // Not written yet, or not complete.
    }
  }
  throw new Error("The process does not say what it holds.");
}

/** Returns the kernel's number of connections at a port; -1 if unavailable. */
export function openSockets(port: number): number {
  try {
    const own = port.toString(16).toUpperCase().padStart(4, "0");
    const lines = ["tcp", "tcp6"].flatMap((table) => readFileSync(`/proc/net/${table}`, "utf8").split("\n"));
    // Columns: slot, own address, remote address, state; 01 is an open connection.
    return lines.filter((line) => new RegExp(`^\\s*\\d+: \\S+:${own} \\S+ 01 `).test(line)).length;
  } catch {
    return -1;
  }
}
