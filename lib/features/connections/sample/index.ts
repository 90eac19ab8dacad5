import "server-only";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, link, mkdir, readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Coalescer } from "@/lib/base/async/coalescer";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { childEntry } from "@/lib/platform/process/entries";
import { absolutePath } from "@/lib/platform/process/paths";
import { serverMember } from "@/lib/platform/process/server-context";

/** Increased when the data or DuckDB's file format changes: a file of an older version is kept and not read. */
const SAMPLE_VERSION = 2;
/** Maximum wait of a query for the build, in ms; building takes a few seconds. */
const WAIT_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;
/** Age at which leftovers of a killed build are removed, in ms, when no build can still be running. */
const LEFTOVER_AGE_MS = 10 * 60_000;
const LAST_WORDS_CHARS = 2000;
const OWNER_ONLY = 0o700;

/** Returns the file of the sample shop, which all workspaces share. It exists once `ensureSample` has resolved. */
export function samplePath(): string {
  return join(absolutePath(env().DATA_DIR), "sample", `shop-${SAMPLE_VERSION}.duckdb`);
}

const sampleBuilds = serverMember("sampleBuilds", () => new Coalescer());

/**
 * Resolves when the sample shop exists. The first call builds it in a child process; further calls, and other servers
 * on the same data folder, share or accept the result.
 * @throws AppError `unavailable` when it takes too long or cannot be built; the next call tries again
 */
export async function ensureSample(): Promise<void> {
  const path = samplePath();
  await within(sampleBuilds().join(path, () => buildOrRefuse(path)));
}

async function buildOrRefuse(path: string): Promise<void> {
  try {
    await buildIfMissing(path);
  } catch (error) {
    log.error({ err: error }, "the sample shop could not be built");
    throw new AppError("unavailable", "Couldn't prepare the sample shop. Try again in a moment.", {
      cause: error,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}

async function buildIfMissing(path: string): Promise<void> {
  if (await exists(path)) return;
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  await removeLeftovers(folder);
  const building = `${path}.${process.pid}.building`;
  await rm(building, { force: true });
  try {
    await runBuilder(building);
    // The link fails when another server was faster; its file has the same rows and may be open already.
    await link(building, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  } finally {
    await rm(building, { force: true });
    await rm(`${building}.wal`, { force: true });
  }
}

async function runBuilder(building: string): Promise<void> {
  const child = spawn(process.execPath, [childEntry("engine"), "--build-sample", lastDay(), "--file", building], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { NODE_ENV: env().NODE_ENV },
  });
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS_CHARS);
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`The sample shop builder exited with ${code}: ${lastWords.trim()}`);
}

/** Returns the day of the newest orders: today, or the day that the operator has set. */
function lastDay(): string {
  const { SAMPLE_DATA: setting } = env();
  return setting === "on" ? new Date().toISOString().slice(0, 10) : setting;
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.includes(".building")) continue;
    const path = join(folder, name);
    const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now());
    if (age > LEFTOVER_AGE_MS) await rm(path, { force: true });
  }
}

async function within(build: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(
      new AppError("unavailable", "The sample shop is still being prepared. Try again in a moment.", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
    );
  }, WAIT_MS);
  try {
    await Promise.race([build, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
