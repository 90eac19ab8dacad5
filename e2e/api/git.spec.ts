import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, newKey, type Person, test } from "./fixtures";

const run = promisify(execFile);
const MIB = 1024 * 1024;
const PLAIN = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };

function git(dir: string, ...args: string[]) {
  return run("git", ["-C", dir, ...args], { env: { ...process.env, ...PLAIN }, maxBuffer: 64 * MIB });
}

async function urlOf(owner: Person, service: string): Promise<string> {
  const { key } = await newKey(owner);
  const { json } = await owner.api.get(owner.home);
  return `${service.replace("//", `//any:${key}@`)}/git/${json.data.slug}.git`;
}

async function commit(clone: string, files: Record<string, Buffer>): Promise<void> {
  await mkdir(join(clone, "apps/shop"), { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(clone, "apps/shop", name), content);
  await git(clone, "add", "--all");
  await git(clone, "-c", "user.name=Bo", "-c", "user.email=bo@example.com", "commit", "--quiet", "--message", "Files");
}

test.describe("stock git against the production build", () => {
  let dir = "";
  test.beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "millrace-e2e-git-"));
  });
  test.afterEach(() => rm(dir, { recursive: true, force: true }));

  test("pushes and clones 30 MB byte for byte", { tag: "@long" }, async ({ owner, service }) => {
    test.setTimeout(180_000);
    const url = await urlOf(owner, service);
    await git(dir, "clone", "--quiet", url, "first");
    const first = join(dir, "first");
    // The framework limits bodies to 10 MB. Two files keep each below the limit of one file.
    const files = { "a.bin": randomBytes(15 * MIB), "b.bin": randomBytes(15 * MIB) };
    await commit(first, files);
    await git(first, "push", "--quiet", "origin", "HEAD:main");
    await git(dir, "clone", "--quiet", url, "second");
    const second = join(dir, "second");
    for (const [name, content] of Object.entries(files)) {
      expect(content.equals(await readFile(join(second, "apps/shop", name)))).toBe(true);
    }
    await git(second, "fsck", "--strict", "--full", "--no-progress");
  });

  test("rejects a push of more than 64 MiB with a message, and moves nothing", { tag: "@long" }, async ({
    owner,
    service,
  }) => {
    test.setTimeout(180_000);
    const url = await urlOf(owner, service);
    await git(dir, "clone", "--quiet", url, "large");
    const clone = join(dir, "large");
    const heads = async () => (await git(clone, "ls-remote", url)).stdout;
    const before = await heads();
    await commit(clone, Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, randomBytes(17 * MIB)])));
    const refused = await git(clone, "push", "origin", "HEAD:main").then(
      () => "it was taken",
      (error: { stderr: string }) => error.stderr,
    );
    expect(refused).toContain("A push is limited to 64 MiB. Push in parts.");
    expect(await heads()).toBe(before);
  });
});
