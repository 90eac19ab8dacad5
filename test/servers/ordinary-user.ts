import { readFileSync } from "node:fs";

/** Database servers refuse to run as root: then this is whom to run them as. Null when this process is not root. */
export function ordinaryUser(): { name: string; uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "mysql", "nobody"]) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("There is no ordinary user on this machine to run a database server as.");
}
