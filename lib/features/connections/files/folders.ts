import "server-only";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ObjectId } from "mongodb";
import { env } from "@/lib/platform/env";

/** Returns the folder that has a folder of files for each workspace. */
export function filesFolder(): string {
  return join(resolve(/* turbopackIgnore: true */ env().DATA_DIR), "files");
}

/** Returns the folder of a workspace's database files. An id has no characters that could lead elsewhere. */
export function workspaceFolder(workspaceId: ObjectId): string {
  return join(filesFolder(), workspaceId.toHexString());
}

/** Deletes all files of a workspace. */
export async function deleteWorkspaceFolder(workspaceId: ObjectId): Promise<void> {
  await rm(workspaceFolder(workspaceId), { recursive: true, force: true });
}
