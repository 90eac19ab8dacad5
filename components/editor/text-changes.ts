import { diffLines, splitLines } from "@/lib/base/text/line-diff";

/** Returns the edits that make one text from another by lines, so that the cursor stays where they change nothing. */
export function textChanges(before: string, after: string): { from: number; to: number; insert: string }[] {
  const [a, b] = [splitLines(before), splitLines(after)];
  const changes: { from: number; to: number; insert: string }[] = [];
  let line = 0;
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of diffLines(a, b)) {
    for (; line < aStart; line++) at += a[line]?.length ?? 0;
    const from = at;
    for (; line < aEnd; line++) at += a[line]?.length ?? 0;
    changes.push({ from, to: at, insert: b.slice(bStart, bEnd).join("") });
  }
  return changes;
}
