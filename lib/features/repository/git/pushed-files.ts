import { sharedState } from "@/lib/platform/process/shared-state";

/** What a kind of file has to be, by its folder in the repository. The domains hand in their own readers. */
export type FileKind = {
  /** The folder at the top of the repository. */
  root: string;
  /** Larger files are not read: they cannot be in order. */
  bytesMax: number;
  /** @returns what is wrong with the file, as the end of a sentence that begins with its path; null when it is in order */
  judge: (path: string, content: Buffer) => string | null;
  /** The product has these files on the main branch beside git, and writes them there by itself alone. */
  isKept: boolean;
};

/** What may stand at the top beside the folders. */
export const TOP_FILES: ReadonlySet<string> = new Set(["README.md", ".gitignore"]);

const handed = () => sharedState("git.file-kinds", () => ({ kinds: [] as readonly FileKind[] }));

/** Once, when the process starts. */
export function handInFileKinds(kinds: readonly FileKind[]): void {
  handed().kinds = kinds;
}

export function fileKinds(): readonly FileKind[] {
  return handed().kinds;
}
