import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { APP_FOLDER } from "./places.ts";
import { BadFrame, type Frame } from "./wire.ts";

export type Applied = { file: string; isRemoved: boolean; isNew: boolean };

/** Puts a file where it belongs in the app, or takes it away. @returns its place */
export async function applyFile({ head, body }: Frame): Promise<Applied | null> {
  if (head.type !== "file" && head.type !== "removed") return null;
  const file = join(APP_FOLDER, head.path);
  if (!file.startsWith(`${APP_FOLDER}/`)) throw new BadFrame("A path leads out of the app.");
  if (head.type === "removed") {
    await rm(file, { force: true, recursive: true });
    return { file, isRemoved: true, isNew: false };
  }
  const isNew = !existsSync(file);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, body);
  return { file, isRemoved: false, isNew };
}

/** All files of a folder by their paths in it. Links are no files of an app. */
export async function* filesIn(folder: string): AsyncGenerator<{ path: string; content: Buffer }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    yield { path: relative(folder, file), content: await readFile(file) };
  }
}
