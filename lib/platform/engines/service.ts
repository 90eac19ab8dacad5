import "server-only";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { ENGINE_POOL_THREADS } from "@/lib/platform/embedded/engine/limits";
import { AppError } from "@/lib/platform/http/errors";
import { requireProcess } from "@/lib/platform/http/require-process";
import { childEntry } from "@/lib/platform/process/entries";
import { ensureSocketFolder, socketPathFor } from "@/lib/platform/process/paths";
import { ensureService, type Service, ServiceDown } from "@/lib/platform/process/service";
import { SharedResource } from "@/lib/platform/process/shared-resource";
import { sharedState } from "@/lib/platform/process/shared-state";
import { engineSandbox } from "./sandbox";

/** The first start opens the file, which may have a log to recover. */
const FIRST_START_TIMEOUT_MS = 20_000;
/**
 * A restart takes a fraction of a second, and many times as long on a busy machine. A request waits for it, within its own
 * time limit, and does not fail.
 */
export const RESTART_TIMEOUT_MS = 15_000;
export const RETRY_AFTER_SECONDS = 2;
const HASH_LENGTH = 12;

export type EngineFile = {
  /** Which engine opens it; DuckDB when left out. `memory` is DuckDB with no file, which reads the files beside the path. */
  kind?: "duckdb" | "sqlite" | "memory";
  /** Absolute path, links resolved. */
  path: string;
  /** Opened without any right to write: the shared sample. */
  readOnlyFile: boolean;
  /** Its views are ours, so plans need no look. */
  trusted: boolean;
  /** One of several engines of a file that nobody writes, by number; absent where there is one alone. */
  slot?: number;
};

type Entry = { service: Service; wasUp: boolean; shared: SharedResource<Service> };

/** The one engine of a file in this process. Connections share it; the last one to leave stops it. */
export type EngineLease = {
  /**
   * The socket of the running engine; starts it when needed.
   * @throws AppError `unavailable` while it restarts, `source_unreachable` when the file cannot be opened
   */
  socket(): Promise<string>;
  release(): Promise<void>;
};

/** Takes a share in the engine of a file. Nothing is started before the first `socket()`. */
export async function leaseEngine(file: EngineFile): Promise<EngineLease> {
  requireProcess("Dashboards, their filters and rows of app bindings");
  const entries = fileEngines();
  const key = keyOf(file);
  for (let old = entries.get(key); old?.shared.isClosing; old = entries.get(key)) await old.shared.closed;
  const entry = entries.get(key) ?? startEntry(file, entries);
  const { release } = entry.shared.lease();
  return { socket: () => socketOf(entry), release };
}

/** Returns how many engines are leased in this process. */
export function leasedEngines(): number {
  return fileEngines().size;
}

function fileEngines(): Map<string, Entry> {
  return sharedState("file-engines", () => new Map<string, Entry>());
}

/** A folder of its own for each socket: an engine in its sandbox sees no other service's. */
export function engineSocketPath(key: string): string {
  const hash = createHash("sha256").update(key).digest("hex").slice(0, HASH_LENGTH);
  return join(dirname(socketPathFor(key)), `engine-${hash}`, "engine.sock");
}

function keyOf({ path, slot }: EngineFile): string {
  return slot === undefined ? path : `${path}#${slot}`;
}

function startEntry(file: EngineFile, entries: Map<string, Entry>): Entry {
  const socketPath = engineSocketPath(keyOf(file));
  const folder = dirname(socketPath);
  ensureSocketFolder();
  ensureSocketFolder(folder);
  const service = ensureService({
    name: "engine of the file",
    entry: childEntry(file.kind === "sqlite" ? "sqlite" : "engine"),
    args: [
      "--file",
      file.path,
      "--socket",
      socketPath,
      ...(file.readOnlyFile ? ["--read-only"] : []),
      ...(file.trusted ? ["--trusted"] : []),
      ...(file.kind === "memory" ? ["--kept"] : []),
      ...(file.slot === undefined ? [] : ["--own-temp"]),
    ],
    socketPath,
    restart: "on-demand",
    // Each statement that DuckDB works on holds a thread of this pool.
    env: { UV_THREADPOOL_SIZE: String(ENGINE_POOL_THREADS) },
    wrap: engineSandbox({
      filePath: file.path,
      socketFolder: folder,
      readOnly: file.kind === "memory" ? "folder" : file.readOnlyFile ? "file" : "nothing",
    }),
  });
  const key = keyOf(file);
  const shared = new SharedResource(service, {
    closesWhenFree: true,
    close: async () => {
      await service.stop();
      entries.delete(key);
    },
  });
  const entry: Entry = { service, wasUp: false, shared };
  entries.set(key, entry);
  return entry;
}

async function socketOf(entry: Entry): Promise<string> {
  try {
    await entry.service.whenUp(entry.wasUp ? RESTART_TIMEOUT_MS : FIRST_START_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof ServiceDown)) throw error;
    const isInUse = error.message.includes("in use by another process");
    if (entry.wasUp || isInUse) throw engineAway(error);
    throw new AppError("source_unreachable", `The file could not be opened. ${reasonOf(error)}`, { cause: error });
  }
  entry.wasUp = true;
  return entry.service.socketPath;
}

/** What a query meets whose engine has just died: it is started again by the next one. */
export function engineAway(cause: unknown): AppError {
  return new AppError("unavailable", "The engine of this file is restarting. Try again in a moment.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** The child's own words without where the data lives. */
function reasonOf(error: ServiceDown): string {
  return error.message.replace(/^.*?is not running: /, "").replace(/"?(?:\/[^\s"/]+)+\//g, "");
}
