import { serverMember } from "@/lib/platform/process/server-context";

/** The rules for one kind of file, by its folder in the repository. Each domain registers its own. */
export type FileKind = {
  /** The top-level folder in the repository. */
  root: string;
  /** Larger files are refused without being read. */
  bytesMax: number;
  /** @returns the error in the file, as the end of a sentence that starts with its path; null if it is valid */
  judge: (path: string, content: Buffer) => string | null;
  /**
   * Whether the product also stores these files outside git. Then only the product may write them on the main branch.
   */
  isKept: boolean;
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
