import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ObjectId } from "mongodb";
import { exportBare } from "../service";

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Settings of the person who runs the tests must not change what git answers. */
const PLAIN = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", LC_ALL: "C", TZ: "UTC" };

/** Runs the real git command in a folder; rejects when it fails. */
export async function git(dir: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, ...PLAIN };
  return run("git", ["-C", dir, ...args], { env, maxBuffer: MAX_OUTPUT_BYTES });
}

/** Lines that git prints. */
export async function gitLines(dir: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await git(dir, ...args);
  return stdout.split("\n").filter((line) => line !== "");
}

/** A folder of its own under the system's temporary one. */
export async function temporaryFolder(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), "millrace-git-"));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Exports the repository, has git check all of it, and hands it to `work`. */
export async function withExport<T>(repositoryId: ObjectId, work: (dir: string) => Promise<T>): Promise<T> {
  const { dir, remove } = await temporaryFolder();
  try {
    await exportBare(repositoryId, dir);
    const { stdout, stderr } = await git(dir, "fsck", "--strict", "--full", "--no-progress");
    // Of a repository without commits git notices that much, which is no complaint.
    const complaints = `${stdout}${stderr}`.split("\n").filter((line) => line !== "" && !line.startsWith("notice:"));
    if (complaints.length > 0) throw new Error(`git fsck says:\n${complaints.join("\n")}`);
    return await work(dir);
  } finally {
    await remove();
  }
}
