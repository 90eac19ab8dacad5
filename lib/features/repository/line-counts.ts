import "server-only";
import type { ObjectId } from "mongodb";
import { withLastNewline } from "@/lib/base/values/last-newline";
import { diffLines, splitLines } from "./line-diff";
import { readBlob } from "./object-store";
import { isText } from "./text-content";

export type LineCounts = { additions: number; deletions: number };
/** A change of one file by its blobs; null when there was, or is, no file. */
export type BlobChange = { repositoryId: ObjectId; before: string | null; after: string | null };

/** Text that is compared for one list: comparing a page of the largest consoles would hold the event loop (F15). */
const LIST_BYTES_MAX = 8 * 1024 * 1024;

/** Lines that were added and taken. That one of the texts has no last newline is nothing that anybody wrote. */
export function countLines(before: string, after: string): LineCounts {
  const hunks = diffLines(splitLines(withLastNewline(before)), splitLines(withLastNewline(after)));
  return {
    additions: hunks.reduce((sum, { bStart, bEnd }) => sum + bEnd - bStart, 0),
    deletions: hunks.reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0),
  };
}

/** The same for the changes of a list, in their order; null from where the texts are too large together, and for what is no text. */
export async function countLinesOf(changes: BlobChange[]): Promise<(LineCounts | null)[]> {
  const counts: (LineCounts | null)[] = [];
  // What a change left is mostly what the next one found.
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
    counts.push(old === null || now === null || bytes > LIST_BYTES_MAX ? null : countLines(old, now));
  }
  return counts;
}
