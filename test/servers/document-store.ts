import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port";

const PROGRAM = fileURLToPath(new URL("./mongodb-stand-in/main.ts", import.meta.url));

/** The store's password on a port. */
const PASSWORD = "a password of tests";

export type DocumentStore = {
  host: "127.0.0.1";
  port: number;
  uri: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts the embedded store on a port of the loopback interface: a server of MongoDB's protocol that needs no
 * installation.
 * @param options `isStandalone`: it has no replica set, and so no transactions
 */
export async function startDocumentStore({ isStandalone = false } = {}): Promise<DocumentStore> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-documents-"));
  const port = await freePort();
  let uri = "";
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [PROGRAM, "--data", folder, "--port", String(port)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, STORE_PASSWORD: PASSWORD, ...(isStandalone && { STORE_STANDALONE: "yes" }) },
    });
    const ready = once(child, "message").then(([message]: { uri?: string }[]) => {
      uri = message?.uri?.replace("$STORE_PASSWORD", encodeURIComponent(PASSWORD)) ?? "";
    });
    const ended = once(child, "exit").then(() => {
      throw new Error("The store ended before it was ready.");
    });
    await Promise.race([ready, ended]);
    ended.catch(() => {});
    return child;
  };
  let child = await start();
  const end = async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    host: "127.0.0.1",
    port,
    uri,
    restart: async () => {
      await end();
      child = await start();
    },
    stop: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
