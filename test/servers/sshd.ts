import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "./free-port";
import { ordinaryUser } from "./ordinary-user";

const run = promisify(execFile);
/** Attempts to connect while the daemon reads its config and key. */
const START_TRIES = 200;
const TRY_EVERY_MS = 50;

export type Sshd = {
  host: "127.0.0.1";
  port: number;
  user: string;
  /** The user's private key, as in its file. */
  privateKey: string;
  hostKeySha256: string;
  /** Kills the daemon and all of its connections, and restarts it on the same port, optionally with a new host key. */
  restart(options?: { newHostKey: boolean }): Promise<void>;
  /** Kills it without a restart. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

function findSshd(): string | null {
  const folders = ["/usr/sbin", "/usr/local/sbin", ...(process.env.PATH ?? "").split(":")];
  return folders.map((folder) => join(folder, "sshd")).find((path) => existsSync(path)) ?? null;
}

/**
 * Starts a separate OpenSSH server on a free port of the loopback interface, which accepts one key and forwards
 * connections.
 * @param lines further lines of its config
 * @returns null if it is not installed
 */
export async function startSshd(lines: readonly string[] = []): Promise<Sshd | null> {
  const program = findSshd();
  if (program === null) return null;
  const folder = mkdtempSync(join(tmpdir(), "millrace-sshd-"));
  const ordinary = ordinaryUser();
  const identity = ordinary ? { uid: ordinary.uid, gid: ordinary.gid } : {};
  if (ordinary) chownSync(folder, ordinary.uid, ordinary.gid);
  const makeKey = (name: string) =>
    run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)], identity);
  await makeKey("host");
  await makeKey("person");
  const port = await freePort();
  const config = [
    `ListenAddress 127.0.0.1:${port}`,
    `HostKey ${join(folder, "host")}`,
    `AuthorizedKeysFile ${join(folder, "person.pub")}`,
    `PidFile ${join(folder, "pid")}`,
    "StrictModes no",
    "UsePAM no",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "AllowTcpForwarding local",
    ...lines,
  ];
  writeFileSync(join(folder, "config"), `${config.join("\n")}\n`);
  let child: ReturnType<typeof spawn> | null = null;
  const start = async () => {
    // A separate process group: each connection is served by another process.
    child = spawn(program, ["-D", "-e", "-f", join(folder, "config")], {
      ...identity,
      stdio: "ignore",
      detached: true,
    });
    for (let tries = 0; tries < START_TRIES; tries += 1) {
      if (await answers(port)) return;
      await sleep(TRY_EVERY_MS);
    }
    throw new Error("sshd did not start.");
  };
  const kill = async () => {
    const ended = child;
    child = null;
    if (ended?.pid === undefined || ended.exitCode !== null) return;
    const exit = once(ended, "exit");
    for (const pid of await familyOf(ended.pid)) killQuietly(pid);
    await exit;
  };
  await start();
  const sshd: Sshd = {
    host: "127.0.0.1",
    port,
    user: ordinary?.name ?? userInfo().username,
    privateKey: readFileSync(join(folder, "person"), "utf8"),
    hostKeySha256: await fingerprint(join(folder, "host.pub")),
    kill,
    restart: async ({ newHostKey } = { newHostKey: false }) => {
      await kill();
      if (newHostKey) {
        rmSync(join(folder, "host"));
        rmSync(join(folder, "host.pub"));
        await makeKey("host");
      }
      await start();
    },
    stop: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return sshd;
}

async function fingerprint(file: string): Promise<string> {
  const { stdout } = await run("ssh-keygen", ["-l", "-E", "sha256", "-f", file]);
  return stdout.split(" ")[1] ?? "";
}

/** Returns the daemon, and the processes that serve its connections, which leave its group. */
async function familyOf(pid: number): Promise<number[]> {
  const { stdout } = await run("ps", ["-eo", "pid=,ppid="]);
  const pairs = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const family = [pid];
  for (const parent of family) {
    for (const [child, of] of pairs) if (of === parent && child !== undefined) family.push(child);
  }
  return family;
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has exited already.
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
