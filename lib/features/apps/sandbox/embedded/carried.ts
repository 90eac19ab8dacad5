import "server-only";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { sharedState } from "@/lib/platform/process/shared-state";

/**
 * The folder of the carried packages as files for browsers. A build of ours makes them; where there was none, in tests and
 * while we develop, they are made when they are first needed.
 */
export function carriedFolder(): Promise<string> {
  return sharedState("carried-packages", () => ({ folder: find() })).folder;
}

/** Changes with whatever the files are made from. */
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
