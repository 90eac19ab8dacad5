import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ObjectId } from "mongodb";
import { ensureStoreService } from "@/lib/platform/process/store-service";
import { prepareStore } from "../lib/features/instance/prepare-store";
import {
  changeOf,
  commitChanges,
  exportBare,
  folderHistory,
  historyOf,
  readFile,
} from "../lib/features/repository/service";
import { closeDatabase, database } from "../lib/platform/db/client";
import { databaseReady } from "../lib/platform/db/ready";
import { rebuildIndex } from "../test/fixtures/repository/rebuild-index";

/*
 * Measures a workspace's repository with a long history: a save, a page of history and one commit's change at 100,
 * 1,000 and 10,000 commits. Each cost must stay flat.
 */

const MILESTONES = [100, 1_000, 10_000];
const FILES = 500;
const SAMPLES = 100;
const START_TIMEOUT_MS = 45_000;
const AUTHOR = { name: "Bench", email: "bench@example.com" };

/** Prints a table of the repository's costs. */
export async function run(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "millrace-bench-"));
  const store = ensureStoreService({ dataDir: dir, durability: "normal" });
  process.env.DATA_DIR = dir;
  delete process.env.MONGODB_URI;
  try {
    await store.whenUp(START_TIMEOUT_MS);
    prepareStore();
    await databaseReady();
    const repositoryId = new ObjectId();
    const rows: Record<string, Record<string, string>> = {};
    let made = 0;
    for (const commits of MILESTONES) {
      const first = made;
      const seconds = await timed(async () => {
        for (; made < commits; made++) await save(repositoryId, made);
      });
      rows[`${commits.toLocaleString("en")} commits`] = {
        "commits/s, one after another": ((commits - first) / seconds).toFixed(0),
        "save p50": await median(() => save(repositoryId, made++)),
        "history, first page p50": await median((n) => historyOf({ repositoryId, path: pathOf(n) })),
        "history of the most edited file p50": await median(() =>
          historyOf({ repositoryId, path: "consoles/hot.sql" }),
        ),
        "folder history p50": await median(() => folderHistory({ repositoryId, folder: "consoles" })),
        "one commit's change p50": await median(() => oldestChange(repositoryId)),
        "file p50": await median((n) => readFile({ repositoryId, path: pathOf(n) })),
      };
    }
    console.table(rows);
    const parallel = await timed(() =>
      Promise.all(Array.from({ length: 500 }, () => save(repositoryId, made++))).then(() => undefined),
    );
    const rebuild = await timed(() => rebuildIndex(repositoryId));
    const exported = await timed(() => exportBare(repositoryId, join(dir, "export")).then(() => undefined));
    console.table({
      "500 commits asked for at once": `${(500 / parallel).toFixed(0)} commits/s`,
      [`index rebuilt from ${made.toLocaleString("en")} commits`]: `${rebuild.toFixed(1)} s`,
      "exported as a bare repository": `${exported.toFixed(1)} s`,
    });
    await database().dropDatabase();
  } finally {
    await closeDatabase();
    await store.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

function pathOf(n: number): string {
  return `consoles/team ${n % 20}/report ${n % FILES}.sql`;
}

/** Saves a commit. Every tenth one edits the same file; the first one contains all files. */
async function save(repositoryId: ObjectId, n: number): Promise<void> {
  const content = (at: number) =>
    `-- version ${n}\nselect * from orders where id = ${at}\n${"and total > 0\n".repeat(40)}`;
  const paths = n === 0 ? Array.from({ length: FILES }, (_, at) => pathOf(at)) : [pathOf(n)];
  const changed = n % 10 === 0 ? [...paths, "consoles/hot.sql"] : paths;
  await commitChanges({
    repositoryId,
    author: AUTHOR,
    message: `Save ${n}`,
    changes: changed.map((path, at) => ({ kind: "put", path, content: content(at) })),
  });
}

let oldest: string | null = null;
async function oldestChange(repositoryId: ObjectId): Promise<void> {
  oldest ??= (await historyOf({ repositoryId, path: "consoles/hot.sql", limit: 200 })).items.at(-1)?.sha ?? "";
  await changeOf({ repositoryId, path: "consoles/hot.sql", sha: oldest.slice(0, 10) });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function median(work: (n: number) => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    const start = performance.now();
    await work(n);
    times.push(performance.now() - start);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return `${(sorted[SAMPLES / 2] ?? 0).toFixed(1)} ms (max ${(sorted.at(-1) ?? 0).toFixed(0)})`;
}
