import "server-only";
import { collisionKey, parseAddedPath, parsePath, toPortableName } from "@/lib/features/repository/service";
import { AppError } from "@/lib/platform/http/errors";
import type { Place } from "./model";

/** Leaves room in a segment of 200 bytes for " copy 1000.mongodb". */
const COPY_STEM_BYTES = 180;

/**
 * Returns a name as it is stored: one segment of a path, in composed Unicode form.
 * @param known the name that it had before: an unchanged one may be older than a rule
 * @throws AppError invalid_request, naming the rule that it breaks
 */
export function parseName(name: string, known: string | null = null): string {
  if (name.includes("/")) throw badName("A name must not hold a slash. Make a folder instead.");
  return explained(() => parseAddedPath(name, (path) => path === known));
}

/**
 * Where something of this name stands: at `<root>/<path><ending>`.
 * Our choice: who writes the ending into the name means that file, so it is not put on twice.
 * @param root the folder of the repository for its kind
 * @param folderPath null at the top level
 * @param ending of its file, with the dot
 * @throws AppError invalid_request when the path gets too long
 */
export function placeOf(root: string, folderPath: string | null, name: string, ending: string): Place {
  const hasEnding = name.length > ending.length && name.toLowerCase().endsWith(ending);
  const path = joinPath(folderPath, hasEnding ? name.slice(0, -ending.length) : name);
  const file = explained(() => parsePath(`${root}/${path}${ending}`));
  return { path, file, key: keyOf(`${path}${ending}`) };
}

/** Where a folder of this name stands. @throws AppError invalid_request when the path gets too long */
export function folderPlaceOf(root: string, parentPath: string | null, name: string): { path: string; key: string } {
  const path = joinPath(parentPath, name);
  explained(() => parsePath(`${root}/${path}`));
  return { path, key: keyOf(path) };
}

/** The ending of the file of something that stands at a place already. */
export function endingOf(root: string, { path, file }: Pick<Place, "path" | "file">): string {
  return file.slice(`${root}/${path}`.length);
}

/** The first of "name copy", "name copy 2" ... that `isFree` takes; one of these endings stays at the end. */
export function copyName(name: string, endings: readonly string[], isFree: (candidate: string) => boolean): string {
  const written = endings.find((each) => name.length > each.length && name.toLowerCase().endsWith(each));
  const [stem, ending] = written ? [name.slice(0, -written.length), name.slice(-written.length)] : [name, ""];
  // A copy is new, so a name from before the rules of new ones is made to suit them.
  const base = toPortableName(shortened(stem.replace(/ copy(?: \d+)?$/, "")));
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
