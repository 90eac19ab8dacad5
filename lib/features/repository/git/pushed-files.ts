import { ATTRIBUTES_FILE } from "@/lib/features/repository/service";
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
export const TOP_FILES: ReadonlySet<string> = new Set(["README.md", ".gitignore", ATTRIBUTES_FILE]);

const handed = serverMember("fileKinds", () => ({ kinds: [] as readonly FileKind[] }));

/** Registers the file kinds. Called once at start. */
export function handInFileKinds(kinds: readonly FileKind[]): void {
  handed().kinds = kinds;
}

export function fileKinds(): readonly FileKind[] {
  return handed().kinds;
}

/** The rules and effects of pushes beyond git. */
export type PushLanding = {
  /**
   * Checks what depends on the workspace, of the files that differ between two stored commits.
   * @throws AppError invalid_request for a file that does not fit the workspace, with its path
   */
  judge: (caller: Caller, before: string | null, after: string) => Promise<void>;
  /**
   * Moves main to a stored commit, and makes everything else that the files define equal to them.
   * @returns false when main has moved
   * @throws AppError invalid_request as `judge`; nothing was changed
   */
  land: (caller: Caller, before: string | null, after: string) => Promise<boolean>;
};

const registered = serverMember("pushLanding", () => ({ landing: null as PushLanding | null }));

/** Registers what a push changes. Called once at start. */
export function landPushesBy(landing: PushLanding): void {
  registered().landing = landing;
}

/** Returns what a push changes. */
export function pushLanding(): PushLanding {
  const { landing } = registered();
  if (!landing) throw new Error("No feature lands pushes.");
  return landing;
}
