import { z } from "zod";
import { CARRIED } from "@/lib/platform/embedded/sandbox/carried";
import { PACKAGES_MAX } from "../limits";
import type { AppFiles } from "../sandbox";

const PROJECT = "package.json";
const LOCK = "package-lock.json";
/** Names that npm allows: they cannot lead out of a folder or to another URL. */
const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
const VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
const INTEGRITY = /^sha512-[A-Za-z0-9+/]{86}==$/;
const ROOT = "node_modules/";

/** A package that an app needs. `folder` is below `node_modules`, also when nested in another package. */
export type LockedPackage = { folder: string; name: string; version: string; integrity: string };

/** Error that prevents the installation of packages, in words for the app's author. */
export class PackageProblem extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

const names = z.record(z.string(), z.string()).optional();
const entrySchema = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  os: z.unknown().optional(),
  cpu: z.unknown().optional(),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
});
type Entry = z.infer<typeof entrySchema>;
const projectSchema = z.object({ dependencies: names });
const lockSchema = z.object({ lockfileVersion: z.number(), packages: z.record(z.string(), entrySchema) });

/**
 * Returns the packages that an app needs besides the bundled ones, as in its lock file: the author chooses the
 * versions, and the same files give the same build.
 * @throws PackageProblem
 */
export function lockedPackages(files: AppFiles): LockedPackage[] {
  const wanted = besidesCarried(read(files, PROJECT, projectSchema)?.dependencies);
  if (wanted.length === 0) return [];
  const lock = read(files, LOCK, lockSchema);
  if (!lock) {
    throw new PackageProblem(
      PROJECT,
      `${LOCK} is missing. Run npm install in a clone of the app, and commit the file.`,
    );
  }
  const { packages, lockfileVersion } = lock;
  if (lockfileVersion < 2) {
    throw new PackageProblem(LOCK, "The lockfile format is too old. Recreate it with npm 7 or later.");
  }
  if (!isSame(wanted, besidesCarried(packages[""]?.dependencies))) {
    throw new PackageProblem(LOCK, `It does not match ${PROJECT}. Run npm install in a clone, and commit both.`);
  }
  return reach(packages, wanted);
}

/** Follows dependencies, starting from those of the app. */
function reach(packages: Record<string, Entry>, wanted: readonly Wish[]): LockedPackage[] {
  const found = new Map<string, LockedPackage>();
  const visit = (from: string, name: string, isNeeded: boolean): void => {
    const place = placeOf(packages, from, name);
    const entry = place === null ? undefined : packages[place];
    if (place === null || !entry) {
      if (isNeeded)
        throw new PackageProblem(LOCK, `“${name}” is missing. Run npm install in a clone, and commit the file.`);
      return;
    }
    // Packages for one system are of no use in a browser; bundled dependencies come with the package that contains
    // them.
    if (found.has(place) || (!isNeeded && (entry.os ?? entry.cpu) !== undefined)) return;
    if (!entry.inBundle) found.set(place, toLocked(place, name, entry));
    if (found.size > PACKAGES_MAX) {
      throw new PackageProblem(LOCK, `The app needs more than ${PACKAGES_MAX} packages. Use smaller ones.`);
    }
    const { dependencies, optionalDependencies, peerDependencies } = entry;
    const optional = new Set(besidesCarried(optionalDependencies).map(([each]) => each));
    for (const [each] of besidesCarried(dependencies)) visit(place, each, !optional.has(each));
    for (const each of optional) visit(place, each, false);
    for (const [each] of besidesCarried(peerDependencies)) visit(place, each, false);
  };
  for (const [name] of wanted) visit("", name, true);
  return [...found.values()];
}

/** Resolves a package from another one like Node.js: in its own folder first, then in the parents. */
function placeOf(packages: Record<string, Entry>, from: string, name: string): string | null {
  for (let folder = from; ; ) {
    const place = folder === "" ? `${ROOT}${name}` : `${folder}/${ROOT}${name}`;
    if (Object.hasOwn(packages, place)) return place;
    if (folder === "") return null;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf(ROOT) - 1));
  }
}

function toLocked(place: string, alias: string, { name = alias, version = "", integrity = "", link }: Entry) {
  const isPlace = place
    .split(`/${ROOT}`)
    .every((each) => NAME.test(each.startsWith(ROOT) ? each.slice(ROOT.length) : each));
  if (link || !isPlace || !NAME.test(name) || !VERSION.test(version) || !INTEGRITY.test(integrity)) {
    throw new PackageProblem(
      LOCK,
      `“${alias}” is not a registry package with a version and a SHA-512 checksum. Only those are installed.`,
    );
  }
  return { folder: place.slice(ROOT.length), name, version, integrity };
}

type Wish = [name: string, range: string];

function besidesCarried(dependencies: Record<string, string> = {}): Wish[] {
  return Object.entries(dependencies).filter(([name]) => !Object.hasOwn(CARRIED, name));
}

function isSame(a: readonly Wish[], b: readonly Wish[]): boolean {
  const others = new Map(b);
  return a.length === b.length && a.every(([name, range]) => others.get(name) === range);
}

function read<T>(files: AppFiles, path: string, schema: z.ZodType<T>): T | null {
  const content = files.get(path);
  if (!content) return null;
  try {
    return schema.parse(JSON.parse(content.toString("utf8")));
  } catch {
    throw new PackageProblem(path, "Invalid lockfile. Run npm install in a clone, and commit the file.");
  }
}
