import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free-port";
import { ordinaryUser } from "./ordinary-user";
import type { TestServer } from "./postgres";

const PLACES = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const START_TIMEOUT_MS = 20_000;
/** Fewer than the sessions of one connection, so that transactions change their server connection. */
const POOL_SIZE = 3;

/**
 * Starts a PgBouncer in transaction mode in front of a PostgreSQL server, on a free port of the loopback interface.
 * @returns null if PgBouncer is not installed
 */
export async function startPgBouncer(server: TestServer): Promise<Omit<TestServer, "restart"> | null> {
  const folders = [...(process.env.PATH ?? "").split(":"), ...PLACES];
  const program = folders.map((each) => join(each, "pgbouncer")).find((path) => existsSync(path));
  if (!program) return null;
  const folder = mkdtempSync(join(tmpdir(), "millrace-pgbouncer-"));
  const user = ordinaryUser();
  const own = (path: string) => user && chownSync(path, user.uid, user.gid);
  own(folder);
  const port = await freePort();
  const files = {
    "users.txt": `"${server.user}" "${server.password}"\n`,
    "pgbouncer.ini": [
      "[databases]",
      `${server.database} = host=${server.host} port=${server.port}`,
      "[pgbouncer]",
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      `auth_type = scram-sha-256\nauth_file = ${join(folder, "users.txt")}`,
      `pool_mode = transaction\ndefault_pool_size = ${POOL_SIZE}\nmax_client_conn = 100`,
    ].join("\n"),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
    own(join(folder, name));
  }
  const identity = user ? { uid: user.uid, gid: user.gid } : {};
  const child = spawn(program, ["-q", join(folder, "pgbouncer.ini")], { ...identity, cwd: folder, stdio: "ignore" });
  await listening(port, child);
  return {
    ...server,
    port,
    stop: async () => {
      if (child.exitCode === null) {
        const gone = once(child, "exit");
        child.kill("SIGKILL");
        await gone;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < until && child.exitCode === null) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
    if (isUp) return;
    await sleep(50);
  }
  throw new Error("PgBouncer did not start.");
}
