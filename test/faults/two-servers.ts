import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Db, MongoClient } from "mongodb";
import { expect } from "vitest";
import { storeUri } from "@/lib/platform/process/store-uri";
import { ask, sessionOf } from "@/test/security/real-servers";
import { PASSWORD } from "@/test/seed";
import { becomesHealthy, childrenOf, startServer, type TestServer } from "@/test/servers/millrace";

/** A built server that can be killed, and the worker id of its job executor. */
export type Server = TestServer & { webPid: number; worker: string };

/** Time in which another server restarts the store of a killed one. */
const STORE_BACK_MS = 30_000;

/** Real servers on one data folder, with direct access to their store. */
export class Servers {
  readonly folder = mkdtempSync(join(tmpdir(), "servers-"));
  readonly #dataDir = join(this.folder, "data");
  readonly #env: Record<string, string>;
  readonly #running = new Set<Server>();
  readonly #client = new MongoClient(storeUri(this.#dataDir), { serverSelectionTimeoutMS: STORE_BACK_MS });
  readonly #workers = new Set<string>();

  /** @param env more settings of each server */
  constructor(env: Record<string, string> = {}) {
    this.#env = env;
  }

  get store(): Db {
    return this.#client.db("millrace");
  }

  async start(): Promise<Server> {
    const env = { DATA_DIR: this.#dataDir, ALLOW_PRIVATE_NETWORK: "all", RATE_LIMIT_SCALE: "1000", ...this.#env };
    const started = await startServer(env);
    await becomesHealthy(started).catch(async (error: unknown) => {
      started.process.kill("SIGTERM");
      await started.ended;
      throw error;
    });
    const [webPid] = childrenOf(started.process.pid);
    if (webPid === undefined) throw new Error("The web process is missing.");
    const found = await this.store.collection<{ _id: string }>("job_workers").find().toArray();
    const worker = found.map(({ _id }) => _id).find((id) => !this.#workers.has(id));
    if (worker === undefined) throw new Error("The server has no executor.");
    this.#workers.add(worker);
    const server = { ...started, webPid, worker };
    this.#running.add(server);
    return server;
  }

  /** Kills the serving process, as a crash would. */
  async kill(server: Server): Promise<void> {
    process.kill(server.webPid, "SIGKILL");
    await server.ended;
    this.#running.delete(server);
  }

  /** Asks it to stop. @returns its exit code */
  async stop(server: Server): Promise<number | null> {
    server.process.kill("SIGTERM");
    const code = await server.ended;
    this.#running.delete(server);
    return code;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((server) => this.stop(server)));
    await this.#client.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Registers a user with a workspace. Returns a function that sends their requests to a given server. */
export async function registerAt(server: Server) {
  const body = { email: "ana@example.com", password: PASSWORD, name: "Ana" };
  const reply = await ask(server, "/api/auth/register", { body });
  expect([reply.status, reply.text]).toEqual([201, expect.anything()]);
  const cookie = sessionOf(reply);
  const home = `/api/workspaces/${reply.json.data.workspace.id}`;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of the data, key by key
  const send = async (at: Server, method: string, path: string, data?: unknown): Promise<any> => {
    const answer = await ask(at, home + path, { method, cookie, ...(data !== undefined && { body: data }) });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json.data;
  };
  return { send, home, cookie };
}

/** Returns the resident memory of a process, in bytes; null if the process does not exist. */
export function memoryOf(pid: number): number | null {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}
