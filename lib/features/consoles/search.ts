import "server-only";
import { escapeRegex } from "@/lib/base/values/escape-regex";
import { findLines } from "@/lib/base/values/find-lines";
import { visibleTo } from "@/lib/features/folders/model";
import type { Caller } from "@/lib/platform/access/caller";
import { collections } from "./collections";
import { type ConsoleDoc, toConsoleSummary } from "./model";
import { withRunStatus } from "./run-status";
import type { SearchHit } from "./schema";

/** Maximum number of search results, best first. */
const HITS_MAX = 50;
/** Maximum number of texts that a search reads, latest saves first: it must not read gigabytes. */
const TEXTS_MAX = 500;
/** Maximum number of matching lines shown per text. */
const LINES_MAX = 5;

/** Ranks, best first: whole name, start of the name, in the name, in the path, elsewhere. */
const RANKS = { name: 0, nameStart: 1, inName: 2, inPath: 3, inText: 4 } as const;

/**
 * Returns the caller's consoles whose path, description and text together contain every word of `q`, ignoring case. Matches in the
 * name come first, then the latest saves.
 */
export async function searchConsoles(caller: Caller, q: string): Promise<SearchHit[]> {
  const words = q.toLowerCase().split(/\s+/);
  const holds = words.map((word) => {
    const pattern = { $regex: escapeRegex(word), $options: "i" };
    return { $or: [{ path: pattern }, { description: pattern }, { content: pattern }] };
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
  return withRunStatus(
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
