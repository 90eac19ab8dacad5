import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./free-port";
import { ordinaryUser } from "./ordinary-user";
import type { TestServer } from "./postgres";
import { makeFromTemplate } from "./template";

const run = promisify(execFile);
const START_TIMEOUT_MS = 60_000;
const PASSWORD = "marker-Pa55word-of-the-test";
const PLACES = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? "").split(":"), ...PLACES];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/**
 * Starts a separate MariaDB server in a new folder, on a free port of the loopback interface.
 * @param options of the server, besides those that make it small and local
 * @returns null if MariaDB is not installed
 */
export async function startMariaDb(options: readonly string[] = []): Promise<TestServer | null> {
  const [server, installer, client] = ["mariadbd", "mariadb-install-db", "mariadb"].map(findProgram);
  if (!server || !installer || !client) return null;
  const folder = mkdtempSync(join(tmpdir(), "millrace-mariadb-"));
  const user = ordinaryUser();
  if (user) chownSync(folder, user.uid, user.gid);
  // Temporary files are named by process id, which servers in other containers may share.
  const env = { ...process.env, TMPDIR: folder };
  const identity = { ...(user && { uid: user.uid, gid: user.gid }), env };
  const data = join(folder, "data");
  const socket = join(folder, "server.sock");
  await makeFromTemplate("mariadb", data, async (made) => {
    await run(
      installer,
      ["--no-defaults", `--datadir=${made}`, "--auth-root-authentication-method=normal", "--skip-test-db"],
      { ...identity, cwd: folder },
    );
  });
  const port = await freePort();
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(
      server,
      [
        ...["--no-defaults", `--datadir=${data}`, `--socket=${socket}`, `--port=${port}`, "--bind-address=127.0.0.1"],
        ...[`--pid-file=${join(folder, "pid")}`, "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=0"],
        ...[
          "--max-allowed-packet=256M",
          "--character-set-server=utf8mb4",
          "--innodb-buffer-pool-size=64M",
          `--log-error=${join(folder, "log")}`,
          ...options,
        ],
      ],
      { ...identity, cwd: folder, stdio: "ignore" },
    );
    await untilListening(port, child);
    return child;
  };
  let child = await start();
  await run(client, [
    ...["--no-defaults", `--socket=${socket}`, "--user=root", "--execute"],
    `CREATE DATABASE shop; CREATE USER tester@'%' IDENTIFIED BY '${PASSWORD}'; GRANT ALL ON *.* TO tester@'%' WITH GRANT OPTION`,
  ]);
  const end = async () => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  return {
    host: "127.0.0.1",
    port,
    user: "tester",
    password: PASSWORD,
    database: "shop",
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

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`The database server ended with code ${child.exitCode}.`);
    const socket = connect(port, "127.0.0.1");
    const isOpen = await Promise.race([
      once(socket, "data").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await sleep(100);
  }
  throw new Error("The database server was not ready in time.");
}
