import type { Caller } from "@/lib/platform/access/caller";
import { serverMember } from "@/lib/platform/process/server-context";

/** The rules for one kind of file, by its folder in the repository. Each domain registers its own. */
export type FileKind = {
  /** The top-level folder in the repository. */
  root: string;
  /** Larger files are refused without being read. */
  bytesMax: number;
  /** @returns the error in the file, as the end of a sentence that starts with its path; null if it is valid */
  judge: (path: string, content: Buffer) => string | null;
};

/** Files allowed at the top level, next to the folders. */
export const TOP_FILES: ReadonlySet<string> = new Set(["README.md", ".gitignore"]);

const handed = serverMember("fileKinds", () => ({ kinds: [] as readonly FileKind[] }));

/** Registers the file kinds. Called once at start. */
export function handInFileKinds(kinds: readonly FileKind[]): void {
  handed().kinds = kinds;
}

export function fileKinds(): readonly FileKind[] {
  return handed().kinds;
}

/**
 * Moves main to a pushed commit, and makes everything else that the files define equal to them.
 * @returns false when main has moved
 * @throws AppError invalid_request for a file that does not fit the workspace, with its path; nothing was changed
 */
export type LandPush = (caller: Caller, before: string | null, after: string) => Promise<boolean>;

const landing = serverMember("pushLanding", () => ({ land: null as LandPush | null }));

/** Registers what a push to main changes. Called once at start. */
export function landPushesBy(land: LandPush): void {
  landing().land = land;
}

/** Lands a push (`LandPush`). */
export function landPush(...args: Parameters<LandPush>): Promise<boolean> {
  const { land } = landing();
  if (!land) throw new Error("No feature lands pushes.");
  return land(...args);
}
