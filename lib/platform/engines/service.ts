import "server-only";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { ENGINE_POOL_THREADS } from "@/lib/platform/embedded/engine/limits";
import { AppError } from "@/lib/platform/http/errors";
import { requireProcess } from "@/lib/platform/http/require-process";
import { childEntry } from "@/lib/platform/process/entries";
import { ensureSocketFolder, socketPathFor } from "@/lib/platform/process/paths";
import { serverMember } from "@/lib/platform/process/server-context";
import { ensureService, type Service, ServiceDown, STILL_STARTING } from "@/lib/platform/process/service";
import { SharedResource } from "@/lib/platform/process/shared-resource";
import { engineSandbox } from "./sandbox";

/** Timeout of the first start, which opens the file and may have to recover its log, in ms. */
const FIRST_START_TIMEOUT_MS = 20_000;
/**
 * Maximum wait for a restart, in ms. It takes a fraction of a second, and many times as long on a busy machine. A
 * request waits for it within its time limit, and does not fail.
 */
export const RESTART_TIMEOUT_MS = 15_000;
export const RETRY_AFTER_SECONDS = 2;
const HASH_LENGTH = 12;

export type EngineFile = {
  /**
   * Engine that opens it; default: DuckDB. `memory` is DuckDB without a file, which reads the files beside the path.
   */
  kind?: "duckdb" | "sqlite" | "memory";
  /** Absolute path with links resolved. */
  path: string;
  /** Whether it is opened without any right to write: the shared sample. */
  readOnlyFile: boolean;
  /** Whether its views are ours, so that plans need no check. */
  trusted: boolean;
  /** Number of one of several engines of a read-only file; absent for a single one. */
  slot?: number;
};

export type LeasedEngine = { service: Service; wasUp: boolean; shared: SharedResource<Service> };

/** The engine of a file in this process. Connections share it; the last release stops it. */
export type EngineLease = {
  /**
   * Returns the socket of the running engine; starts it if needed. @throws AppError `unavailable` while it restarts,
   * `source_unreachable` if the file cannot be opened
   */
  socket(): Promise<string>;
  release(): Promise<void>;
};

/** Leases the engine of a file. Nothing is started before the first `socket()`. */
export async function leaseEngine(file: EngineFile): Promise<EngineLease> {
  requireProcess("Dashboards, their filters and rows of app bindings");
  const entries = fileEngines();
  const key = keyOf(file);
  for (let old = entries.get(key); old?.shared.isClosing; old = entries.get(key)) await old.shared.closed;
  const entry = entries.get(key) ?? startEntry(file, entries);
  const { release } = entry.shared.lease();
  return { socket: () => socketOf(entry), release };
}

/** Returns the number of leased engines in this process. */
export function leasedEngines(): number {
  return fileEngines().size;
}

const fileEngines = serverMember("fileEngines", () => new Map<string, LeasedEngine>());

/** Returns a separate folder for each socket: an engine in its sandbox sees no other service's. */
export function engineSocketPath(key: string): string {
  const hash = createHash("sha256").update(key).digest("hex").slice(0, HASH_LENGTH);
  return join(dirname(socketPathFor(key)), `engine-${hash}`, "engine.sock");
}

function keyOf({ path, slot }: EngineFile): string {
  return slot === undefined ? path : `${path}#${slot}`;
}

function startEntry(file: EngineFile, entries: Map<string, LeasedEngine>): LeasedEngine {
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
    // Each running DuckDB statement occupies a thread of this pool.
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
  const entry: LeasedEngine = { service, wasUp: false, shared };
  entries.set(key, entry);
  return entry;
}

async function socketOf(entry: LeasedEngine): Promise<string> {
  try {
    await entry.service.whenUp(entry.wasUp ? RESTART_TIMEOUT_MS : FIRST_START_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof ServiceDown)) throw error;
    const isInUse = error.message.includes("in use by another process");
    // A start that takes long says nothing about the file.
    if (entry.wasUp || isInUse || error.message.includes(STILL_STARTING)) throw engineAway(error);
    throw new AppError("source_unreachable", `Couldn't open the file. ${reasonOf(error)}`, { cause: error });
  }
  entry.wasUp = true;
  return entry.service.socketPath;
}

/** Returns the error of a query whose engine just died: the next query starts it again. */
export function engineAway(cause: unknown): AppError {
  return new AppError("unavailable", "The file engine is restarting. Try again in a moment.", {
    cause,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** Returns the child's message without the path of the data. */
function reasonOf(error: ServiceDown): string {
  return error.message.replace(/^.*?is not running: /, "").replace(/"?(?:\/[^\s"/]+)+\//g, "");
}
