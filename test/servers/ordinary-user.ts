import { readFileSync } from "node:fs";

/** Returns the user for database servers, which refuse to run as root. Null if this process is not root. */
export function ordinaryUser(): { name: string; uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "mysql", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("There is no ordinary user on this machine to run a database server as.");
}
