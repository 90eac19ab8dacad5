import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** A built tree starts within 3 s; test machines have other work too. */
const HEALTHY_TIMEOUT_MS = 200_000;
/** A changed tree has to be built first, on a machine that builds others too. */
const BUILT_TIMEOUT_MS = 240_000;
/** The output of `npm start` after its build. */
const IS_BUILT = "Starting ...";
const POLL_MS = 25;

export type TestServer = {
  url: string;
  process: ChildProcess;
  /** Its output so far. */
  output: () => string;
  /** Resolves to its exit code. */
  ended: Promise<number | null>;
};

/**
 * Runs `npm start`'s script. Settings of the tests' environment are removed.
 * @param within a program with its arguments that runs the rest of its command line, isolated
 */
export async function startServer(
  env: Record<string, string>,
  port?: number,
  within: readonly string[] = [],
): Promise<TestServer> {
  const listeningOn = port ?? (await freePort());
  const [program = process.execPath, ...args] = [...within, process.execPath, "scripts/start.mjs"];
  const server = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      NODE_ENV: "production",
      PATH: process.env.PATH,
      MONGODB_URI: "",
      AUTH_SECRET: "",
      ENCRYPTION_KEYS: "",
      SAMPLE_DATA: "off",
      PORT: String(listeningOn),
      ...env,
    },
  });
  let text = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  }
  return {
    url: `http://127.0.0.1:${listeningOn}`,
    process: server,
    output: () => text,
    ended: once(server, "close").then(([code]) => code),
  };
}

/** @throws Error with the server's output if it exits or takes too long */
export async function becomesHealthy(server: TestServer): Promise<void> {
  let isBuilt = false;
  let until = performance.now() + BUILT_TIMEOUT_MS;
  while (performance.now() < until && server.process.exitCode === null) {
    if (!isBuilt && server.output().includes(IS_BUILT)) {
      isBuilt = true;
      until = performance.now() + HEALTHY_TIMEOUT_MS;
    }
    const answer = await fetch(`${server.url}/api/health`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The server did not become healthy. It wrote:\n${server.output()}`);
}

/** Returns the ids of a process's child processes. */
export function childrenOf(pid: number | undefined): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []));
}
