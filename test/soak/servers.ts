import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MongoClient } from "mongodb";
import { storeSocketPath, storeUri } from "@/lib/platform/process/store-uri";
import { freePort } from "@/test/servers/free-port";
import { childrenOf, startServer, type TestServer } from "@/test/servers/millrace";

const STORE_START_MS = 60_000;
/** On a starved machine; a start takes 3 s on an idle one. */
const SERVER_START_MS = 600_000;
const HEALTH_POLL_MS = 250;
const SHUTDOWN_MS = 40_000;
/** A connection that was open when its server was killed may report it a moment later. */
const KILL_ECHO_MS = 3000;

type Period = { from: number; to: number };
export type Server = {
  index: number;
  port: number;
  url: string;
  process: TestServer | null;
  webPid: number | null;
  isUp: boolean;
  /** Periods, by this process's clock, in which it was killed, down or starting. */
  away: Period[];
  /** Output of earlier processes. */
  written: string;
  /** Exit codes of processes that ended unexpectedly. */
  deaths: (number | null)[];
};

/** Production servers on one data folder, with a store that runs beside them. */
export class Servers {
  readonly folder = mkdtempSync(join(tmpdir(), "millrace-soak-"));
  readonly dataDir = join(this.folder, "data");
  readonly all: Server[] = [];
  readonly #env: Record<string, string>;
  readonly #client = new MongoClient(storeUri(this.dataDir));
  #store: ChildProcess | null = null;
  #storeText = "";
  #isStopping = false;

  /** @param env more settings of each server */
  constructor(env: Record<string, string> = {}) {
    this.#env = { DATA_DIR: this.dataDir, ALLOW_PRIVATE_NETWORK: "all", RATE_LIMIT_SCALE: "1000", ...env };
  }

  get store() {
    return this.#client.db("millrace");
  }

  async start(count: number): Promise<void> {
    await this.#startStore();
    for (let index = 0; index < count; index += 1) {
      const port = await freePort();
      const now = Date.now();
      const server: Server = {
        ...{ index, port, url: `http://127.0.0.1:${port}`, process: null, webPid: null, isUp: false },
        ...{ away: [{ from: now, to: Number.POSITIVE_INFINITY }], written: "", deaths: [] },
      };
      this.all.push(server);
      await this.#start(server);
    }
  }

  async #startStore(): Promise<void> {
    this.#store = spawn(process.execPath, ["scripts/store.mjs"], {
      env: { PATH: process.env.PATH, NODE_ENV: "production", DATA_DIR: this.dataDir, MONGODB_URI: "" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#store.stdout, this.#store.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#storeText += text;
      });
    }
    const until = performance.now() + STORE_START_MS;
    while (!existsSync(storeSocketPath(this.dataDir))) {
      if (performance.now() > until) throw new Error(`The store did not start. It wrote:\n${this.#storeText}`);
      await sleep(100);
    }
  }

  async #start(server: Server): Promise<void> {
    const started = await startServer({ SAMPLE_DATA: "on", ...this.#env }, server.port);
    server.process = started;
    void started.ended.then((code) => {
      if (server.process === started && !this.#isStopping) server.deaths.push(code);
    });
    await untilHealthy(started);
    server.webPid = childrenOf(started.process.pid)[0] ?? null;
    server.isUp = true;
    const last = server.away.at(-1);
    if (last) last.to = Date.now();
  }

  /** Kills the serving process, as a crash would, and restarts it after a while. */
  async crash(server: Server, awayMs: number): Promise<void> {
    if (!server.isUp || !server.process || server.webPid === null) return;
    server.isUp = false;
    server.away.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
    const killed = server.process;
    server.process = null;
    killIfThere(server.webPid);
    await killed.ended;
    server.written += killed.output();
    await sleep(awayMs);
    await this.#start(server);
  }

  /** Kills the store, whichever server started it: another one takes it over. */
  async crashStore(): Promise<void> {
    const own = this.#store?.pid === undefined ? [] : descendantsOf(this.#store.pid);
    const theirs = this.all.flatMap(({ webPid }) => (webPid === null ? [] : descendantsOf(webPid)));
    const store = [...own, ...theirs].find(({ command }) => /dist\/store\.mjs/.test(command));
    if (store) killIfThere(store.pid);
  }

  /** Whether a kill of its server explains a failed request of this time. */
  wasAway(server: Server, from: number, to: number): boolean {
    return server.away.some((period) => period.from <= to + KILL_ECHO_MS && period.to >= from);
  }

  /** Returns the log lines of a server, from all its processes. */
  linesOf(server: Server): string[] {
    return (server.written + (server.process?.output() ?? "")).split("\n").filter((line) => line !== "");
  }

  /** Asks each server and then the store to stop. @returns exit codes; "killed" for those that did not end */
  async stop(): Promise<string[]> {
    this.#isStopping = true;
    const codes = await Promise.all(
      this.all.map(async (server) => {
        if (!server.process) return "away";
        server.process.process.kill("SIGTERM");
        const code = await Promise.race([server.process.ended, sleep(SHUTDOWN_MS).then(() => "late")]);
        if (code === "late" && server.webPid !== null) process.kill(server.webPid, "SIGKILL");
        return String(code);
      }),
    );
    await this.#client.close();
    if (this.#store && this.#store.exitCode === null) {
      const ended = once(this.#store, "exit");
      this.#store.kill("SIGTERM");
      await ended;
    }
    return codes;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** @throws Error with the server's output if it exits or takes too long */
async function untilHealthy(server: TestServer): Promise<void> {
  const until = performance.now() + SERVER_START_MS;
  while (performance.now() < until && server.process.exitCode === null) {
    const answer = await fetch(`${server.url}/api/health`).catch(() => null);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.ok) return;
    await sleep(HEALTH_POLL_MS);
  }
  throw new Error(`A server did not become healthy. It wrote:\n${server.output()}`);
}

/** A descendant process, with its id and command line. */
export type Child = { pid: number; command: string };

/** Returns the descendants of a process, at any depth. */
export function descendantsOf(pid: number): Child[] {
  const found: Child[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of childrenOf(next)) {
      found.push({ pid: child, command: commandOf(child) });
      open.push(child);
    }
  }
  return found;
}

/** A process may exit between the look-up and its kill. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** Returns the resident memory of a process, in MiB. */
export function memoryMib(pid: number): number {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kib ?? 0) / 1024);
  } catch {
    return 0;
  }
}
