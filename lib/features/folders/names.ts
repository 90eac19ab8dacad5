import "server-only";
import { collisionKey, parseAddedPath, parsePath, toPortableName } from "@/lib/features/repository/service";
import { AppError } from "@/lib/platform/http/errors";
import type { Place } from "./model";

/** Leaves room in a segment of 200 bytes for " copy 1000.mongodb". */
const COPY_STEM_BYTES = 180;

/**
 * Returns a name as stored: one segment of a path, in composed Unicode form.
 * @param known its previous name: an unchanged one may predate a rule
 * @throws AppError invalid_request, naming the rule that it breaks
 */
export function parseName(name: string, known: string | null = null): string {
  if (name.includes("/")) throw badName("Names can't contain slashes. Create a folder instead.");
  return explained(() => parseAddedPath(name, (path) => path === known));
}

/**
 * Returns the location for a name: `<root>/<path><ending>`.
 * Our choice: a name that includes the extension means that file, so the extension is not repeated.
 * @param root the repository's folder for the kind
 * @param folderPath null at the top level
 * @param ending file extension, with the dot
 * @throws AppError invalid_request when the path gets too long
 */
export function placeOf(root: string, folderPath: string | null, name: string, ending: string): Place {
  const hasEnding = name.length > ending.length && name.toLowerCase().endsWith(ending);
  const path = joinPath(folderPath, hasEnding ? name.slice(0, -ending.length) : name);
  const file = explained(() => parsePath(`${root}/${path}${ending}`));
  return { path, file, key: keyOf(`${path}${ending}`) };
}

/** Returns the location of a folder with this name. @throws AppError invalid_request when the path gets too long */
export function folderPlaceOf(root: string, parentPath: string | null, name: string): { path: string; key: string } {
  const path = joinPath(parentPath, name);
  explained(() => parsePath(`${root}/${path}`));
  return { path, key: keyOf(path) };
}

/** Returns the location of an item by its file, with its name and its folder's path (null at the top level). */
export function placeOfFile(
  { root, endings }: { root: string; endings: readonly string[] },
  file: string,
): Place & { name: string; folderPath: string | null } {
  const ending = endings.find((each) => file.endsWith(each)) ?? "";
  const path = file.slice(root.length + 1, file.length - ending.length);
  const slash = path.lastIndexOf("/");
  return {
    path,
    file,
    key: keyOf(`${path}${ending}`),
    name: path.slice(slash + 1),
    folderPath: slash === -1 ? null : path.slice(0, slash),
  };
}

/** Returns the file extension of an existing item. */
export function endingOf(root: string, { path, file }: Pick<Place, "path" | "file">): string {
  return file.slice(`${root}/${path}`.length);
}

/** Returns the first of "name copy", "name copy 2" ... that `isFree` accepts; a known extension stays at the end. */
export function copyName(name: string, endings: readonly string[], isFree: (candidate: string) => boolean): string {
  const written = endings.find((each) => name.length > each.length && name.toLowerCase().endsWith(each));
  const [stem, ending] = written ? [name.slice(0, -written.length), name.slice(-written.length)] : [name, ""];
  // A copy is new, so a name that predates the rules is converted to satisfy them.
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

/** Turns an error about a path into one about the name that the caller sent. */
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
