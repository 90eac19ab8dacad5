import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { APIRequestContext } from "@playwright/test";
import { expect } from "./fixtures";

const run = promisify(execFile);
const PLAIN = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
const ME = ["-c", "user.name=Jun Abe", "-c", "user.email=jun@example.com"];

/** Changes the text of a file; null is a new file. A change to null deletes it. */
export type FileChanges = Record<string, string | null | ((before: string) => string)>;

/**
 * Pushes changed files to a branch of a workspace with stock git, with a new key of this user. A new branch starts at
 * main.
 * @returns the short commit id
 */
export async function pushFiles(
  request: APIRequestContext,
  workspaceId: string,
  service: string,
  changes: FileChanges,
  branch = "main",
): Promise<string> {
  const workspace = `/api/workspaces/${workspaceId}`;
  const made = await request.post(`${workspace}/api-keys`, { data: { name: "git" } });
  expect(made.status(), await made.text()).toBe(201);
  const { key } = (await made.json()).data;
  const { slug } = (await (await request.get(workspace)).json()).data;
  const dir = await mkdtemp(join(tmpdir(), "millrace-e2e-push-"));
  const git = (...args: string[]) => run("git", ["-C", dir, ...args], { env: { ...process.env, ...PLAIN } });
  try {
    await git("clone", "--quiet", `${service.replace("//", `//any:${key}@`)}/git/${slug}.git`, ".");
    await git("checkout", "--quiet", `origin/${branch}`).catch(() => {});
    for (const [path, change] of Object.entries(changes)) {
      const file = join(dir, path);
      await mkdir(dirname(file), { recursive: true });
      if (change === null) await rm(file);
      else if (typeof change === "string") await writeFile(file, change);
      else await writeFile(file, change((await git("show", `HEAD:${path}`)).stdout));
    }
    await git("add", "--all");
    await git(...ME, "commit", "--quiet", "--message", "Edit");
    await git("push", "--quiet", "origin", `HEAD:refs/heads/${branch}`);
    return (await git("rev-parse", "HEAD")).stdout.slice(0, 7);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
