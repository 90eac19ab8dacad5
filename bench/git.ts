import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ObjectId } from "mongodb";
import { ensureStoreService } from "@/lib/platform/process/store-service";
import { projectMain } from "../lib/features/folders/project-main";
import { prepareStore } from "../lib/features/instance/prepare-store";
import { writeBasePack } from "../lib/features/repository/git/base-pack";
import { commitChanges } from "../lib/features/repository/service";
import { getOwnerIdOrThrow } from "../lib/features/workspaces/service";
import { closeDatabase } from "../lib/platform/db/client";
import { databaseReady } from "../lib/platform/db/ready";
import { writeNow } from "../lib/platform/events/publish";
import { memoryOfTree, startProduct } from "./support/product";

/*
 * Clones a workspace of 10,000 consoles with 10,000 saves from the built product, with stock git: before the base pack
 * is built, with it, by two clients at once, and as a fetch after further saves. Then all consoles are written from
 * main, one and 500 of them are pushed, and 200 are saved over HTTP. Each clone is shown beside the time that git needs
 * to take in the same pack, which no server can shorten.
 *
 *   npm run bench -- git              consoles in a hundred folders
 *   npm run bench -- git flat         all in one folder, the worst case
 *   npm run bench -- git 1000         fewer
 */

const CLONE_BUDGET_S = 2;
const PROJECTION_BUDGET_S = 10;
const PUSH_BUDGET_S = 1;
const PUSHES_BUDGET_S = 5;
const SAVE_BUDGET_MS = 60;
const SAVES = 200;
const PUSHED_FILES = 500;
const FOLDERS = 100;
const LATER_SAVES = 500;
const START_TIMEOUT_MS = 45_000;
const WATCH_MS = 50;
const MIB = 1024 * 1024;
const AUTHOR = { name: "Bench", email: "bench@example.com" };
const run_ = promisify(execFile);

/** Prints the cost of clones. */
export async function run(args: string[]): Promise<void> {
  const count = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 10_000);
  const isFlat = args.includes("flat");
  const dir = mkdtempSync(join(tmpdir(), "millrace-bench-git-"));
  const env = { DATA_DIR: join(dir, "data"), RATE_LIMIT_SCALE: "1000" };
  const rows: Record<string, Record<string, string>> = {};
  try {
    const { workspaceId, slug, key } = await withProduct(env, makeWorkspace);
    const pathOf = (n: number) => `consoles/${isFlat ? "" : `folder ${n % FOLDERS}/`}console ${n}.sql`;
    const save = (from: number, to: number) => saveAll(new ObjectId(workspaceId), from, to, count, pathOf);
    const saved = await withStore(env.DATA_DIR, () => timed(() => save(0, count)));
    console.log(`${count} consoles, saved ${count} times in ${saved.toFixed(0)} s`);
    const clone = async (address: string, pid: number, name: string) => {
      const target = join(dir, name);
      const url = `${address.replace("//", `//bench:${key}@`)}/git/${slug}.git`;
      const watch = watchMemory(pid);
      const seconds = await timed(() => git(dir, "clone", "--quiet", url, target));
      const grown = watch.stop();
      const bytes = packBytes(target);
      const alone = await timed(() => takeIn(target, join(dir, `${name}-alone`)));
      await git(target, "fsck", "--strict", "--full", "--no-progress");
      return { target, seconds, grown, bytes, alone };
    };
    await withProduct(env, async ({ address, pid }) => {
      rows["clone, all planned"] = told(await clone(address, pid, "planned"));
    });
    const made = await withStore(env.DATA_DIR, () => timed(() => writeBasePack({ workspaceId })));
    console.log(`base pack, what was missing of it: ${made.toFixed(1)} s`);
    let first = "";
    await withProduct(env, async ({ address, pid }) => {
      for (const n of [1, 2, 3]) {
        const result = await clone(address, pid, `based-${n}`);
        first ||= result.target;
        rows[`clone ${n} with the base pack`] = told(result, CLONE_BUDGET_S);
      }
      const both = await Promise.all(["a", "b"].map((name) => clone(address, pid, `at-once-${name}`)));
      for (const [n, result] of both.entries()) rows[`clone ${n + 1} of two at once`] = told(result);
    });
    await withStore(env.DATA_DIR, () => save(count, count + LATER_SAVES));
    await withProduct(env, async ({ address, pid }) => {
      const url = `${address.replace("//", `//bench:${key}@`)}/git/${slug}.git`;
      await git(first, "remote", "set-url", "origin", url);
      const watch = watchMemory(pid);
      const seconds = await timed(() => git(first, "fetch", "--quiet"));
      rows[`fetch after ${LATER_SAVES} saves`] = { seconds: seconds.toFixed(1), "server grew by": watch.stop() };
    });
    const id = new ObjectId(workspaceId);
    const projected = await withStore(env.DATA_DIR, () =>
      timed(async () => projectMain(id, await getOwnerIdOrThrow(id))),
    );
    rows["write all consoles from main (repo:project)"] = withBudget(projected, PROJECTION_BUDGET_S);
    await withProduct(env, async ({ address }) => {
      const url = `${address.replace("//", `//bench:${key}@`)}/git/${slug}.git`;
      await git(first, "remote", "set-url", "origin", url);
      await git(first, "pull", "--quiet", "--ff-only");
      for (const files of [1, 1, PUSHED_FILES]) {
        await Promise.all(
          Array.from({ length: files }, (_, n) => writeFile(join(first, pathOf(n)), `select ${Math.random()}\n`)),
        );
        await git(first, "-c", "user.name=Bench", "-c", "user.email=bench@example.com", "commit", "-aqm", "Push");
        const seconds = await timed(() => git(first, "push", "--quiet"));
        rows[`push of ${files} of them`] = withBudget(seconds, files === 1 ? PUSH_BUDGET_S : PUSHES_BUDGET_S);
      }
      rows["save over HTTP"] = await measureSaves(`${address}/api/workspaces/${workspaceId}/consoles`, key);
    });
    console.table(rows);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

type Saved = { id: string; version: number };
type Cloned = { seconds: number; grown: string; bytes: number; alone: number };

function withBudget(seconds: number, budget: number): Record<string, string> {
  return { seconds: seconds.toFixed(1), budget: `${budget} s: ${seconds < budget ? "kept" : "NOT KEPT"}` };
}

function told({ seconds, grown, bytes, alone }: Cloned, budget?: number): Record<string, string> {
  return {
    seconds: seconds.toFixed(1),
    "of which git alone": alone.toFixed(1),
    pack: `${(bytes / MIB).toFixed(1)} MiB`,
    "server grew by": grown,
    ...(budget === undefined ? { budget: "-" } : withBudget(seconds, budget)),
  };
}

async function saveAll(
  repositoryId: ObjectId,
  from: number,
  to: number,
  count: number,
  pathOf: (n: number) => string,
): Promise<void> {
  for (let n = from; n < to; n++) {
    const content = (at: number) => `-- version ${n}\nselect * from orders where id = ${at}\n`;
    // The first commit contains all files; each later one edits another file.
    const files = n === 0 ? Array.from({ length: count }, (_, at) => at) : [(n * 7919) % count];
    await commitChanges({
      repositoryId,
      author: AUTHOR,
      message: `Save ${n}`,
      changes: files.map((at) => ({ kind: "put", path: pathOf(at), content: content(at) })),
    });
  }
}

/** Saves consoles one after another. */
async function measureSaves(url: string, key: string): Promise<Record<string, string>> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const times: number[] = [];
  const list = (await (await fetch(`${url}?limit=${SAVES}`, { headers })).json()) as { data: Saved[] };
  for (const { id, version } of list.data) {
    const body = JSON.stringify({ version, content: `select ${Math.random()}` });
    const start = performance.now();
    const answer = await fetch(`${url}/${id}`, { method: "PUT", headers, body });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`A save answered ${answer.status}.`);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  const isKept = at(0.95) <= SAVE_BUDGET_MS;
  return {
    seconds: `p50 ${at(0.5).toFixed(0)} ms, p95 ${at(0.95).toFixed(0)} ms`,
    budget: `p95 ${SAVE_BUDGET_MS} ms: ${isKept ? "kept" : "NOT KEPT"}`,
  };
}

async function makeWorkspace({ address }: { address: string }) {
  const registered = await fetch(`${address}/api/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "bench@example.com", password: "a password of a bench", name: "Bench" }),
  });
  const cookie = (registered.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  const { data } = (await registered.json()) as { data: { workspace: { id: string; slug: string } } };
  const answer = await fetch(`${address}/api/workspaces/${data.workspace.id}/api-keys`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ name: "bench" }),
  });
  const key = ((await answer.json()) as { data: { key: string } }).data.key;
  return { workspaceId: data.workspace.id, slug: data.workspace.slug, key };
}

async function withProduct<T>(
  env: Record<string, string>,
  work: (product: { address: string; pid: number }) => Promise<T>,
): Promise<T> {
  const product = await startProduct({ env });
  try {
    return await work(product);
  } finally {
    await product.stop();
  }
}

async function withStore<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const store = ensureStoreService({ dataDir, durability: "normal" });
  process.env.DATA_DIR = dataDir;
  delete process.env.MONGODB_URI;
  try {
    await store.whenUp(START_TIMEOUT_MS);
    prepareStore();
    await databaseReady();
    return await work();
  } finally {
    await writeNow();
    await closeDatabase();
    await store.stop();
  }
}

/** Tracks the peak memory of the server and its child processes above the level at the start. */
function watchMemory(pid: number): { stop: () => string } {
  const before = memoryOfTree(pid);
  let most = before ?? 0;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOfTree(pid) ?? 0);
  }, WATCH_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return before === null ? "?" : `${((most - before) / MIB).toFixed(0)} MiB of ${(before / MIB).toFixed(0)}`;
    },
  };
}

/** Processes the pack as a clone does after receiving it. */
async function takeIn(clone: string, bare: string): Promise<void> {
  await git(clone, "init", "--quiet", "--bare", bare);
  const dir = join(clone, ".git/objects/pack");
  const packs = readdirSync(dir).filter((each) => each.endsWith(".pack"));
  for (const pack of packs) {
    const child = run_("git", ["-C", bare, "index-pack", "--stdin", "--check-self-contained-and-connected"]);
    child.child.stdin?.end(await readFile(join(dir, pack)));
    await child;
  }
}

function packBytes(clone: string): number {
  const dir = join(clone, ".git/objects/pack");
  return readdirSync(dir)
    .filter((each) => each.endsWith(".pack"))
    .reduce((sum, each) => sum + statSync(join(dir, each)).size, 0);
}

async function git(dir: string, ...args: string[]): Promise<void> {
  await run_("git", ["-C", dir, ...args], { maxBuffer: 64 * MIB });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
