import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { canInstallPackages, installPackages } from "./debian.mjs";
import { ScriptError } from "./run.mjs";

/** Folders in which Debian installs servers. */
const SERVER_FOLDERS = ["/usr/sbin", "/usr/local/sbin"];

/**
 * Downloads the database servers that the driver tests start, if this user may. Otherwise the tests that skip them name
 * the missing ones.
 */
export async function ensureDatabases() {
  if (!canInstallPackages()) return;
  const missing = [
    ...(isOnPath("mariadbd") && isOnPath("mariadb-install-db") ? [] : ["mariadb-server-core", "mariadb-client-core"]),
    ...(isOnPath("initdb") || hasDebianPostgres() ? [] : ["postgresql"]),
    ...(isOnPath("pgbouncer") ? [] : ["pgbouncer"]),
    ...(isOnPath("bwrap") ? [] : ["bubblewrap"]),
  ];
  if (missing.length === 0) return;
  try {
    await installPackages(...missing);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    console.warn(`${error.message} Tests that require ${missing.join(", ")} are skipped.`);
  }
}

function isOnPath(program) {
  const folders = [...(process.env.PATH ?? "").split(":"), ...SERVER_FOLDERS];
  return folders.some((folder) => existsSync(join(folder, program)));
}

function hasDebianPostgres() {
  const root = "/usr/lib/postgresql";
  return existsSync(root) && readdirSync(root).some((version) => existsSync(join(root, version, "bin", "initdb")));
}
