import "server-only";
import type { ObjectId } from "mongodb";
import { diffLines, splitLines } from "@/lib/base/text/line-diff";
import { withLastNewline } from "@/lib/base/values/last-newline";
import { readBlob } from "./object-store";
import { isText } from "./text-content";

export type LineCounts = { additions: number; deletions: number };
/** A change of one file by its blobs; null if there was, or is, no file. */
export type BlobChange = { repositoryId: ObjectId; before: string | null; after: string | null };

/** Maximum text compared for one list: comparing a page of the largest consoles would block the event loop (F15). */
const LIST_BYTES_MAX = 8 * 1024 * 1024;

/** Counts added and removed lines. A missing last newline does not count. */
export function countLines(before: string, after: string): LineCounts {
  const hunks = diffLines(splitLines(withLastNewline(before)), splitLines(withLastNewline(after)));
  return {
    additions: hunks.reduce((sum, { bStart, bEnd }) => sum + bEnd - bStart, 0),
    deletions: hunks.reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0),
  };
}

/**
 * Counts lines for a list of changes, in their order. Null for binary files, and from where the texts exceed the limit
 * together.
 */
export async function countLinesOf(
  changes: BlobChange[],
  contentIn?: (text: string) => string,
): Promise<(LineCounts | null)[]> {
  const counts: (LineCounts | null)[] = [];
  // The result of one change is usually the base of the next.
  const texts = new Map<string, string | null>();
  let bytes = 0;
  const read = async (repositoryId: ObjectId, oid: string | null) => {
    if (oid === null) return "";
    let text = texts.get(oid);
    if (text === undefined) {
      const content = await readBlob(repositoryId, oid);
      bytes += content.length;
      text = isText(content) ? content.toString("utf8") : null;
      texts.set(oid, text);
    }
    return text;
  };
  for (const { repositoryId, before, after } of changes) {
    const old = bytes > LIST_BYTES_MAX ? null : await read(repositoryId, before);
    const now = bytes > LIST_BYTES_MAX ? null : await read(repositoryId, after);
    if (old === null || now === null || bytes > LIST_BYTES_MAX) counts.push(null);
    else {
      const contents = contentsOf({ before: old, after: now }, contentIn);
      counts.push(countLines(contents.before, contents.after));
    }
  }
  return counts;
}

/** Returns the compared parts of two texts: their contents, or all of them if only the rest differs. */
export function contentsOf<T extends string | null>(
  texts: { before: T; after: T },
  contentIn: ((text: string) => string) | undefined,
): { before: T; after: T } {
  if (!contentIn) return texts;
  const read = (text: T): T => (text === null ? text : (contentIn(text) as T));
  const contents = { before: read(texts.before), after: read(texts.after) };
  return contents.before === contents.after && texts.before !== texts.after ? texts : contents;
}
