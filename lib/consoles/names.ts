import "server-only";
import { AppError } from "@/lib/http/errors";
import { collisionKey, parsePath } from "@/lib/repository/service";
import type { ConsolePath } from "./model";
import type { Language } from "./schema";

const ROOT = "consoles";
/** Leaves room in a segment of 200 bytes for " copy 1000.mongodb". */
const COPY_STEM_BYTES = 180;
const ENDINGS = { sql: ".sql", mongodb: ".mongodb" } as const satisfies Record<Language, string>;

/**
 * A name as it is kept: one segment of a path, in composed Unicode form.
 * @throws AppError invalid_request, naming the rule that it breaks
 */
export function parseName(name: string): string {
  if (name.includes("/")) throw badName("A name must not hold a slash. Make a folder instead.");
  return explained(() => parsePath(name));
}

/**
 * Where a console of this name stands: at `consoles/<path>.sql|.mongodb` (docs/api.md, Consoles).
 * Our choice: who writes the ending into the name means that file, so it is not put on twice.
 * @param folderPath null at the top level
 * @throws AppError invalid_request when the path gets too long
 */
export function consolePathOf(folderPath: string | null, name: string, language: Language): ConsolePath {
  const ending = ENDINGS[language];
  const hasEnding = name.length > ending.length && name.toLowerCase().endsWith(ending);
  const path = joinPath(folderPath, hasEnding ? name.slice(0, -ending.length) : name);
  const file = explained(() => parsePath(`${ROOT}/${path}${ending}`));
  return { path, file, key: keyOf(`${path}${ending}`) };
}

/** Where a folder of this name stands. @throws AppError invalid_request when the path gets too long */
export function folderPlaceOf(parentPath: string | null, name: string): { path: string; key: string } {
  const path = joinPath(parentPath, name);
  explained(() => parsePath(`${ROOT}/${path}`));
  return { path, key: keyOf(path) };
}

/** The first of "name copy", "name copy 2" ... that `isFree` takes; an ending stays at the end. */
export function copyName(name: string, isFree: (candidate: string) => boolean): string {
  const [, stem = name, ending = ""] = /^(.+?)(\.sql|\.mongodb)$/i.exec(name) ?? [];
  const base = shortened(stem.replace(/ copy(?: \d+)?$/, ""));
  for (let n = 1; ; n++) {
    const candidate = `${base} copy${n === 1 ? "" : ` ${n}`}${ending}`;
    if (isFree(candidate)) return candidate;
  }
}

function shortened(stem: string): string {
  let letters = [...stem];
  while (Buffer.byteLength(letters.join("")) > COPY_STEM_BYTES) letters = letters.slice(0, -1);
  return letters.join("").trim();
}

function keyOf(path: string): string {
  return path.split("/").map(collisionKey).join("/");
}

function joinPath(folder: string | null, name: string): string {
  return folder === null ? name : `${folder}/${name}`;
}

/** The rule of paths, told as one of the name that the caller sent. */
function explained<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw badName(error.message.replace(/^The path /, "The name "), error);
  }
}

function badName(message: string, cause?: AppError): AppError {
  return new AppError("invalid_request", message, { cause, details: [{ path: "name", message }] });
}
