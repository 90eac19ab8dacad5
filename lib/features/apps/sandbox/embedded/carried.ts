import "server-only";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { serverMember } from "@/lib/platform/process/server-context";

const carriedPackages = serverMember("carriedPackages", () => ({ folder: find() }));

/**
 * Returns the folder of the bundled packages as browser files. Our build creates them; in tests and development they
 * are created on first use.
 */
export function carriedFolder(): Promise<string> {
  return carriedPackages().folder;
}

/** Returns a version that changes with the inputs of the bundled packages. */
export async function carriedVersion(): Promise<string> {
  return readFile(join(/* turbopackIgnore: true */ await carriedFolder(), "key"), "utf8");
}

async function find(): Promise<string> {
  const root = process.cwd();
  if (process.env.NODE_ENV === "production") return join(/* turbopackIgnore: true */ root, "dist", "carried");
  const folder = join(/* turbopackIgnore: true */ root, "node_modules", ".cache", "carried");
  const maker = join(/* turbopackIgnore: true */ root, "lib/platform/embedded/sandbox/carried-main.ts");
  await promisify(execFile)(process.execPath, [maker, folder]);
  return folder;
}
