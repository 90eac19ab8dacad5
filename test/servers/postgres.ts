import { execFile, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./free-port";
import { ordinaryUser } from "./ordinary-user";
import { makeFromTemplate } from "./template";

const run = promisify(execFile);

export type TestServer = {
  host: "127.0.0.1";
  port: number;
  user: string;
  password: string;
  database: string;
  /** Kills it, as a crash would, and restarts it on the same port and files. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

const PASSWORD = "marker-Pa55word-of-the-test";

/** Returns the folder of PostgreSQL's programs, with a slash; null if it is not installed. */
function findPrograms(): string | null {
  const folders = (process.env.PATH ?? "").split(":");
  const debian = "/usr/lib/postgresql";
  if (existsSync(debian)) folders.push(...readdirSync(debian).map((version) => join(debian, version, "bin")));
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl"))) ?? null;
}

/**
 * Starts a separate PostgreSQL server in a new folder, on a free port of the loopback interface.
 * @param options.certificate PEM texts: then it offers TLS
 * @returns null if PostgreSQL is not installed
 */
export async function startPostgres(
  options: { certificate?: { cert: string; key: string } } = {},
): Promise<TestServer | null> {
  const programs = findPrograms();
  if (programs === null) return null;
  const folder = mkdtempSync(join(tmpdir(), "millrace-postgres-"));
  const user = ordinaryUser();
  const own = (path: string) => user && chownSync(path, user.uid, user.gid);
  own(folder);
  const data = join(folder, "data");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, PASSWORD);
  own(passwordFile);
  const identity = user ? { uid: user.uid, gid: user.gid } : {};
  const settings = { ...identity, cwd: folder, env: { ...process.env, LC_ALL: "C.UTF-8" } };
  const flagsOfInitdb = ["--auth=scram-sha-256", "--pwfile", passwordFile, "-E", "UTF8", "--no-sync"];
  await makeFromTemplate("postgres", data, async (made) => {
    await run(join(programs, "initdb"), ["-D", made, "-U", "postgres", ...flagsOfInitdb], settings);
  });
  if (options.certificate) {
    for (const [name, text] of Object.entries({
      "server.crt": options.certificate.cert,
      "server.key": options.certificate.key,
    })) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      own(join(data, name));
    }
  }
  const port = await freePort();
  const flags = [
    `-p ${port} -h 127.0.0.1 -k ${folder}`,
    "-c fsync=off -c full_page_writes=off -c max_connections=200 -c shared_buffers=64MB",
    ...(options.certificate ? ["-c ssl=on"] : []),
  ].join(" ");
  // Not by execFile: the server inherits the pipes of pg_ctl and would keep it from exiting.
  const control = (args: string[]) =>
    new Promise<void>((resolve, reject) => {
      const child = spawn(join(programs, "pg_ctl"), ["-D", data, ...args], { ...settings, stdio: "ignore" });
      child.once("error", reject);
      child.once("exit", (code) =>
        code === 0 ? resolve() : reject(new Error(`pg_ctl ${args[0]} ended with ${code}`)),
      );
    });
  const start = () => control(["start", "-w", "-t", "60", "-l", join(folder, "log"), "-o", flags]);
  await start();
  return {
    host: "127.0.0.1",
    port,
    user: "postgres",
    password: PASSWORD,
    database: "postgres",
    restart: async () => {
      await control(["stop", "-m", "immediate"]);
      await start();
    },
    stop: async () => {
      await control(["stop", "-m", "immediate"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
