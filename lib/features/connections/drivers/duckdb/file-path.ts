import "server-only";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileName } from "@/lib/features/connections/files/schema";
import { AppError } from "@/lib/platform/http/errors";
import { absolutePath } from "@/lib/platform/process/paths";

/** Further reasons to reject the field of a file. */
export const FILE_REFUSALS = { file: "A reserved file name" };

const OWNER_ONLY = 0o700;
/** Files that DuckDB derives from its log while it checkpoints, beside the companions that `fileName` knows. */
const LOG_COMPANION = /\.(?:checkpoint|recovery)$/i;

/** Requires a bare file name. @throws AppError `invalid_request` for anything else (T39) */
export function requireBareFileName(name: unknown): string {
  const parsed = fileName.safeParse(name);
  if (parsed.success && !LOG_COMPANION.test(parsed.data)) return parsed.data;
  throw new AppError("invalid_request", "Enter a file name such as sales.duckdb, without folders or leading dots.", {
    details: [{ path: "config.file", message: "Enter a file name." }],
  });
}

/**
 * Returns the absolute path of a workspace's file. Creates a missing workspace folder.
 * @param name a bare name (`requireBareFileName`)
 * @param mayCreate false refuses a file that does not exist (T39: reading creates nothing)
 * @throws AppError `invalid_request` for anything but a regular file, `source_unreachable` for a missing one
 */
export async function workspaceFile(
  dataDir: string,
  workspaceId: string,
  name: string,
  mayCreate: boolean,
): Promise<string> {
  const folder = join(absolutePath(dataDir), "files", workspaceId);
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
  const path = join(folder, name);
  const found = await lstat(path).catch(() => null);
  if (!found && !mayCreate) {
    throw new AppError("source_unreachable", `File ${name} not found. Upload it first.`);
  }
  // A link could lead out of the folder; no one creates one there on purpose.
  const isInside = !found || (found.isFile() && (await realpath(path)) === join(await realpath(folder), name));
  if (!isInside) throw new AppError("invalid_request", `${name} is not a regular file.`);
  return path;
}
