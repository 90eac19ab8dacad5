import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MongoClient, type MongoClientOptions } from "mongodb";
import { type RunningStore, type StartOptions, startStore } from "../server.ts";

/** Of every store that tests start on a port. */
export const TEST_PASSWORD = "of no use elsewhere";

export type TestStore = RunningStore & { dir: string; client: MongoClient; stop: () => Promise<void> };

/** A store of its own in a temporary directory, with a connected client. */
export async function startTestStore(
  options: Partial<StartOptions> = {},
  clientOptions: MongoClientOptions = {},
): Promise<TestStore> {
  const dir = options.dataDir ?? mkdtempSync(join(tmpdir(), "store-"));
  const running = await startStore({ port: 0, password: TEST_PASSWORD, ...options, dataDir: dir });
  const client = await new MongoClient(running.uri, clientOptions).connect();
  const stop = async (): Promise<void> => {
    await client.close();
    await running.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...running, dir, client, stop };
}

export type StoreChild = { child: ChildProcess; uri: string; ended: Promise<number | NodeJS.Signals | null> };

/**
 * A store as a process of its own.
 * @throws Error with what it printed when it ends before it is ready
 */
export async function forkStore(dir: string, args: readonly string[] = ["--port", "0"]): Promise<StoreChild> {
  const entry = fileURLToPath(new URL("../main.ts", import.meta.url));
  const child = fork(entry, ["--data", dir, ...args], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    execArgv: [],
    env: { ...process.env, STORE_PASSWORD: TEST_PASSWORD },
  });
  let printed = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? code));
  });
  const uri = await new Promise<string>((resolve, reject) => {
    child.on("message", (message: { type?: string; uri?: string }) => {
      if (message.type === "ready" && message.uri !== undefined)
        resolve(message.uri.replace("$STORE_PASSWORD", encodeURIComponent(TEST_PASSWORD)));
    });
    void ended.then((code) => reject(new Error(`ended with ${code}: ${printed}`)));
  });
  return { child, uri, ended };
}
