import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { APP_FOLDER, PACKAGES_FOLDER } from "./places.ts";
import { BadFrame, type Frame } from "./wire.ts";

export type Applied = { file: string; isRemoved: boolean; isNew: boolean };

/** Writes or removes a file in the app. @returns its path and the kind of change; null for other frames */
export async function applyFile({ head, body }: Frame): Promise<Applied | null> {
  if (head.type === "package") await write(placeIn(PACKAGES_FOLDER, head.path), body);
  if (head.type !== "file" && head.type !== "removed") return null;
  const file = placeIn(APP_FOLDER, head.path);
  if (head.type === "removed") {
    await rm(file, { force: true, recursive: true });
    return { file, isRemoved: true, isNew: false };
  }
  const isNew = !existsSync(file);
  await write(file, body);
  return { file, isRemoved: false, isNew };
}

function placeIn(folder: string, path: string): string {
  const file = join(folder, path);
  if (!file.startsWith(`${folder}/`)) throw new BadFrame("A path leaves its folder.");
  return file;
}

async function write(file: string, body: Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, body);
}

/** Yields all files of a folder with their relative paths. Links are not files of an app. */
export async function* filesIn(folder: string): AsyncGenerator<{ path: string; content: Buffer }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    yield { path: relative(folder, file), content: await readFile(file) };
  }
}
