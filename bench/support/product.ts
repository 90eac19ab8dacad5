import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A build that is stale is made first. */
const SERVER_START_TIMEOUT_MS = 240_000;

type ProductOptions = {
  /** Settings on top of the environment. */
  env?: Record<string, string>;
  /** The processors that it may use, as taskset names them; all where there is no taskset. */
  cpus?: string;
};

/** The built product on a free port, with a data folder of its own that goes with it. */
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

/** Memory that a process and all below it hold, in bytes; null where the system does not tell. */
export function memoryOfTree(pid: number): number | null {
  if (!existsSync("/proc/self/status")) return null;
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    const stat = readIfThere(`/proc/${name}/stat`);
    // The name of the program stands in brackets and may hold anything.
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    parents.set(Number(name), parent);
  }
  const isBelow = (each: number): boolean => each === pid || (parents.has(each) && isBelow(parents.get(each) ?? 0));
  return [...parents.keys()].filter(isBelow).reduce((sum, each) => sum + memoryOf(each), 0);
}

function memoryOf(pid: number): number {
  const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readIfThere(`/proc/${pid}/status`)) ?? [];
  return Number(kib ?? 0) * 1024;
}

/** A process may end at any moment: then it holds nothing. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
