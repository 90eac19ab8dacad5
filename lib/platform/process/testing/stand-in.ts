import { existsSync, mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import Database from "better-sqlite3";

/**
 * A small service for tests of the supervision, with the duties of a real one: it alone owns its file, announces
 * itself when it listens, and ends with its IPC channel. Every connection is told the number of starts that the file
 * has seen, and the names of the environment.
 *
 * Arguments: data folder, socket, and optionally "refuse" to fail before it listens.
 */
const [dataDir = "", socketPath = "", mode] = process.argv.slice(2);

function fail(message: string): never {
  process.send?.({ type: "failed", message });
  process.exit(1);
}

if (mode === "refuse") fail("the file has a newer format");
mkdirSync(dataDir, { recursive: true });
const file = join(dataDir, "owned.db");
const database = new Database(file, { timeout: 0 });
database.pragma("locking_mode = EXCLUSIVE");
let starts = 0;
try {
  database.exec(
    "begin immediate; create table if not exists starts (at integer); insert into starts values (0); commit",
  );
  starts = database.prepare<[], { n: number }>("select count(*) as n from starts").get()?.n ?? 0;
} catch {
  fail(`${file} is in use by another process`);
}
if (existsSync(socketPath)) rmSync(socketPath);

const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.write(`${JSON.stringify({ starts, pid: process.pid, variables: Object.keys(process.env) })}\n`);
});
server.listen(socketPath, () => process.send?.({ type: "ready" }));
process.on("disconnect", () => {
  database.close();
  process.exit(0);
});
