import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** Includes the time to rebuild a stale build. */
const SERVER_START_TIMEOUT_MS = 240_000;

type ProductOptions = {
  /** Settings in addition to the environment. */
  env?: Record<string, string>;
  /** Processors that it may use, as taskset names them; all if taskset is missing. */
  cpus?: string;
};

/** Starts the built product on a free port, with a data folder that is removed with it. */
export async function startProduct({ env = {}, cpus }: ProductOptions = {}): Promise<{
  address: string;
  pid: number;
  stop: () => Promise<void>;
}> {
  const port = await freePort();
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-bench-"));
  // This file is bundled into dist/bench.
  const script = fileURLToPath(new URL("../../scripts/start.mjs", import.meta.url));
  const command = [...(cpus !== undefined && hasTaskset() ? ["taskset", "-c", cpus] : []), process.execPath, script];
  const child = spawn(command[0] ?? "", command.slice(1), {
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, MONGODB_URI: "", ...env },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const address = `http://localhost:${port}`;
  await untilItAnswers(address, child);
  return {
    address,
    pid: child.pid ?? 0,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function untilItAnswers(address: string, child: ChildProcess): Promise<void> {
  const until = performance.now() + SERVER_START_TIMEOUT_MS;
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error("The server did not start; its own words are above.");
    const isThere = await fetch(`${address}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    await sleep(200);
  }
  throw new Error("The server did not answer in time.");
}

export function hasTaskset(): boolean {
  return spawnSync("taskset", ["-V"]).status === 0;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const at = server.address();
      server.close(() => resolve(typeof at === "object" && at !== null ? at.port : 0));
    });
  });
}

/** Returns the memory of a process and its descendants in bytes; null if the system does not report it. */
export function memoryOfTree(pid: number): number | null {
  if (!existsSync("/proc/self/status")) return null;
  return pidsOfTree(pid).reduce((sum, each) => sum + memoryOf(each), 0);
}

/** Returns a process and its descendants. */
export function pidsOfTree(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const stat = readIfThere(`/proc/${name}/stat`);
    // The program's name is in brackets and may contain any character.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    parents.set(Number(name), parent);
  }
  const isBelow = (each: number): boolean => each === pid || (parents.has(each) && isBelow(parents.get(each) ?? 0));
  return [...parents.keys()].filter(isBelow);
}

function memoryOf(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readIfThere(`/proc/${pid}/status`)) ?? [];
  return Number(kib ?? 0) * 1024;
}

/** A process may end at any moment: then it has no memory. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
