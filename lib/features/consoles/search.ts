import "server-only";
import { findLines } from "@/lib/base/values/find-lines";
import { visibleTo } from "@/lib/features/folders/model";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "./collections";
import { type ConsoleDoc, toConsoleSummary } from "./model";
import type { SearchHit } from "./schema";
import { withStanding } from "./standing";

/** What a search answers at the most, best first. */
const HITS_MAX = 50;
/** Consoles whose text is read at the most, the ones saved last; a search must not read gigabytes. */
const TEXTS_MAX = 500;
/** Lines that are shown of one text: more say less. */
const LINES_MAX = 5;

/** Better first: the whole name, its beginning, the name, the path, the text alone. */
const RANKS = { name: 0, nameStart: 1, inName: 2, inPath: 3, inText: 4 } as const;

/**
 * The caller's consoles whose path and text together hold every word of `q`, whatever its case: those with it in the
 * name first, then by the time of their last save.
 */
export async function searchConsoles(caller: Caller, q: string): Promise<SearchHit[]> {
  const words = q.toLowerCase().split(/\s+/);
  const holds = words.map((word) => {
    const pattern = { $regex: escapeRegex(word), $options: "i" };
    return { $or: [{ path: pattern }, { content: pattern }] };
  });
  const found: { rank: number; updatedAt: number; hit: SearchHit }[] = [];
  const docs = collections
    .consoles()
    .find({ ...visibleTo(caller), $and: holds })
    .sort({ updatedAt: -1 })
    .limit(TEXTS_MAX)
    .batchSize(20);
  for await (const doc of docs) {
    const { lines, count } = findLines(doc.content, q, LINES_MAX);
    const hit = { ...toConsoleSummary(doc), snippet: lines[0] ?? null, lines, lineCount: count };
    found.push({ rank: rankOf(doc, words), updatedAt: doc.updatedAt.getTime(), hit });
  }
  found.sort((a, b) => a.rank - b.rank || b.updatedAt - a.updatedAt);
  return withStanding(
    caller,
    found.slice(0, HITS_MAX).map(({ hit }) => hit),
  );
}

function rankOf(doc: ConsoleDoc, words: string[]): number {
  const [name, path, phrase] = [doc.name.toLowerCase(), doc.path.toLowerCase(), words.join(" ")];
  if (name === phrase || path === phrase) return RANKS.name;
  if (name.startsWith(phrase)) return RANKS.nameStart;
  if (words.every((word) => name.includes(word))) return RANKS.inName;
  return words.every((word) => path.includes(word)) ? RANKS.inPath : RANKS.inText;
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
