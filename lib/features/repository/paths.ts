import { AppError } from "@/lib/platform/http/errors";

/** Desktop file systems allow 255 bytes for a name; the rest is left for suffixes that tools add. */
const MAX_SEGMENT_BYTES = 200;
/** Well below Linux's limit of 4,096 bytes, so that a checkout in a deep folder still works. */
const MAX_PATH_BYTES = 1_000;
/** Branch names become file names in a checkout's own folder. */
const MAX_BRANCH_BYTES = 200;

// Control characters, line and paragraph separators, direction overrides (they make a name read as another), byte order
// mark, unpaired surrogates, and unassigned code points.
const REFUSED_CHARACTERS =
  /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ufdd0-\ufdef]/u;
/** Invisible code points: some file systems ignore them when they compare names. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const SPACE = /\s/u;
/** Git's own files, and the short names that Windows gives them. */
const GIT_NAMES = /^(?:\.git|git~\d+|\.gitmodules|gitmod~\d+|gi7eba~\d+|\.gitattributes|gitatt~\d+|gi7d29~\d+)$/;
/** Matches a segment that Windows would open as an alternate stream of another file. */
const STREAM_OF_GIT = /^\.?git[^/]*:/;
/** Git on Windows refuses to check out a path with one of these characters. */
const WINDOWS_CHARACTERS = /[<>:"|?*]/;
/** Device names, with any extension (Microsoft's page "Naming Files, Paths, and Namespaces"). */
const WINDOWS_DEVICES = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)\d)$/;
const BRANCH_PART = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/**
 * Returns the path under which a file is stored: slashes between segments, Unicode in its composed form (NFC). Our
 * choice: composed rather than refused, since keyboards and file systems differ in what they send.
 * @throws AppError invalid_request, with the rule that the path breaks (T87)
 */
export function parsePath(path: string): string {
  const normal = path.isWellFormed() ? path.normalize("NFC") : path;
  if (normal === "") refuse(path, "must not be empty");
  if (Buffer.byteLength(normal) > MAX_PATH_BYTES) refuse(path, `must not be longer than ${MAX_PATH_BYTES} bytes`);
  for (const segment of normal.split("/")) checkSegment(path, segment);
  return normal;
}

/**
 * Returns the path of a file beside others. Only its new names have to be valid on Windows: files and folders from
 * before the rule keep their names, and folders accept new files.
 * @param isKnown whether a file or a folder already has this path
 * @throws AppError invalid_request, as `parsePath`, and for names and characters that Windows reserves
 */
export function parseAddedPath(path: string, isKnown: (path: string) => boolean): string {
  const parsed = parsePath(path);
  const segments = parsed.split("/");
  for (const [index, segment] of segments.entries()) {
    const fault = windowsFault(segment);
    if (fault !== null && !isKnown(segments.slice(0, index + 1).join("/"))) refuse(path, fault);
  }
  return parsed;
}

/** Returns a name that is valid on Windows and close to the given one. */
export function toPortableName(name: string): string {
  const plain = name.replace(new RegExp(WINDOWS_CHARACTERS, "g"), "-");
  // The extension stays: `aux.ts` becomes `aux_.ts`.
  return windowsFault(plain) === null ? plain : plain.replace(/^[^.]*/, (stem) => `${stem.trimEnd()}_`);
}

function windowsFault(segment: string): string | null {
  if (WINDOWS_CHARACTERS.test(segment)) return 'must not contain < > : " | ? *';
  const stem = collisionKey(segment).split(".", 1)[0] ?? "";
  return WINDOWS_DEVICES.test(stem.trim()) ? "must not use a name that Windows reserves, such as con or aux" : null;
}

/** Git's attributes. Only this name, and only at the top level: those of a folder could hide its files' changes. */
export const ATTRIBUTES_FILE = ".gitattributes";

/** Returns the path of a file of a commit: like `parsePath`, and git's attributes. */
export function parseFilePath(path: string): string {
  return path === ATTRIBUTES_FILE ? path : parsePath(path);
}

/** Returns a folder's path: like `parsePath`, and "" for the root. */
export function parseFolder(path: string): string {
  return path === "" ? "" : parsePath(path.endsWith("/") ? path.slice(0, -1) : path);
}

/**
 * Returns a key that is equal for two names that cannot share a folder, because some file system treats them as equal
 * (case, composed or decomposed letters, compatibility forms, invisible characters).
 */
export function collisionKey(segment: string): string {
  // Upper case first, so that ß equals SS, and both forms of sigma are equal.
  return segment.normalize("NFKC").replace(INVISIBLE, "").toUpperCase().toLowerCase().normalize("NFKC");
}

/**
 * Returns a branch name that git, a command line and a clone on Windows take (T89).
 * @throws AppError invalid_request
 */
export function parseBranch(name: string): string {
  const isPlain =
    name !== "" &&
    Buffer.byteLength(name) <= MAX_BRANCH_BYTES &&
    !name.includes("..") &&
    name.split("/").every((part) => BRANCH_PART.test(part) && !part.endsWith(".") && !/\.lock$/i.test(part));
  if (!isPlain) {
    throw new AppError(
      "invalid_request",
      "Branch names can contain letters, digits, dots, dashes, underscores and slashes, and must not start with a dash or a dot.",
      { details: [{ path: "branch", message: "Invalid branch name." }] },
    );
  }
  for (const part of name.split("/")) {
    const fault = windowsFault(part);
    if (fault === null) continue;
    throw new AppError("invalid_request", `The branch name ${fault}.`, {
      details: [{ path: "branch", message: `${JSON.stringify(name)} ${fault}.` }],
    });
  }
  return name;
}

function checkSegment(path: string, segment: string): void {
  if (segment === "") refuse(path, "must not start or end with a slash or contain two in a row");
  if (segment === "." || segment === "..") refuse(path, "must not contain . or .. as a name");
  if (segment.includes("\\")) refuse(path, "must not contain a backslash");
  if (!segment.isWellFormed() || REFUSED_CHARACTERS.test(segment)) {
    refuse(path, "must not contain control or direction characters");
  }
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
    refuse(path, `must not contain a name longer than ${MAX_SEGMENT_BYTES} bytes`);
  }
  const first = segment.slice(0, 1);
  const last = segment.slice(-1);
  if (SPACE.test(first) || SPACE.test(last)) refuse(path, "must not contain a name that starts or ends with a space");
  if (last === ".") refuse(path, "must not contain a name that ends with a dot");
  const key = collisionKey(segment)
    .trim()
    .replace(/[. ]+$/, "");
  if (key === "") refuse(path, "must not contain a name without a visible character");
  if (GIT_NAMES.test(key) || STREAM_OF_GIT.test(key)) refuse(path, "must not use a name that belongs to git");
}

function refuse(path: string, rule: string): never {
  throw new AppError("invalid_request", `The path ${rule}.`, {
    details: [{ path: "path", message: `${JSON.stringify(path.slice(0, 200))} ${rule}.` }],
  });
}
