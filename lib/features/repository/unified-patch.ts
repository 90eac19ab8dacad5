import { diffLines, type Hunk, splitLines } from "@/lib/base/text/line-diff";

/** Unchanged lines around each change, as in git. */
const CONTEXT_LINES = 3;

export type PatchFile = {
  /** Null if the file is added. */
  oldPath: string | null;
  /** Null if the file is deleted. */
  newPath: string | null;
  before: string;
  after: string;
};

export type Patch = { patch: string; additions: number; deletions: number };

/** Returns one file's change in git's patch format, for `git apply`. */
export function unifiedPatch({ oldPath, newPath, before, after }: PatchFile): Patch {
  const a = splitLines(before);
  const b = splitLines(after);
  const hunks = diffLines(a, b);
  const body = groupHunks(hunks).map((group) => formatGroup(group, a, b));
  const counts = {
    additions: hunks.reduce((sum, { bStart, bEnd }) => sum + bEnd - bStart, 0),
    deletions: hunks.reduce((sum, { aStart, aEnd }) => sum + aEnd - aStart, 0),
  };
  return { patch: [...patchHeader(oldPath, newPath, body.length > 0), ...body].join(""), ...counts };
}

/** Returns git's patch text for binary files. */
export function binaryPatch({ oldPath, newPath }: Pick<PatchFile, "oldPath" | "newPath">): string {
  const lines = patchHeader(oldPath, newPath, false);
  return `${lines.join("")}Binary files ${sideName("a", oldPath)} and ${sideName("b", newPath)} differ\n`;
}

function patchHeader(oldPath: string | null, newPath: string | null, hasLines: boolean): string[] {
  const from = oldPath ?? newPath ?? "";
  const to = newPath ?? oldPath ?? "";
  const lines = [`diff --git ${quote(`a/${from}`)} ${quote(`b/${to}`)}\n`];
  if (oldPath === null) lines.push("new file mode 100644\n");
  else if (newPath === null) lines.push("deleted file mode 100644\n");
  else if (oldPath !== newPath) lines.push(`rename from ${quote(oldPath)}\n`, `rename to ${quote(newPath)}\n`);
  if (hasLines) lines.push(`--- ${lineName("a", oldPath)}\n`, `+++ ${lineName("b", newPath)}\n`);
  return lines;
}

function sideName(side: "a" | "b", path: string | null): string {
  return path === null ? "/dev/null" : quote(`${side}/${path}`);
}

/** A tab after a name with spaces keeps readers from parsing the rest as a date. */
function lineName(side: "a" | "b", path: string | null): string {
  const name = sideName(side, path);
  return path?.includes(" ") && !name.startsWith('"') ? `${name}\t` : name;
}

function quote(name: string): string {
  return name.includes('"') ? `"${name.replaceAll('"', '\\"')}"` : name;
}

/** Merges hunks whose context would touch or overlap. */
function groupHunks(hunks: Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last && hunk.aStart - last.aEnd <= 2 * CONTEXT_LINES) groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function formatGroup(group: Hunk[], a: string[], b: string[]): string {
  const first = group[0] as Hunk;
  const last = group.at(-1) as Hunk;
  const before = Math.min(first.aStart, CONTEXT_LINES);
  const after = Math.min(a.length - last.aEnd, CONTEXT_LINES);
  const aFrom = first.aStart - before;
  const aTo = last.aEnd + after;
  const bFrom = first.bStart - before;
  const bTo = last.bEnd + after;
  const out = [`@@ -${range(aFrom, aTo)} +${range(bFrom, bTo)} @@\n`];
  let at = aFrom;
  const show = (mark: string, lines: string[]) => {
    for (const line of lines) out.push(mark, line, line.endsWith("\n") ? "" : "\n\\ No newline at end of file\n");
  };
  for (const { aStart, aEnd, bStart, bEnd } of group) {
    show(" ", a.slice(at, aStart));
    show("-", a.slice(aStart, aEnd));
    show("+", b.slice(bStart, bEnd));
    at = aEnd;
  }
  show(" ", a.slice(at, aTo));
  return out.join("");
}

/** An empty range names the line before it; a range of one line omits its length. */
function range(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return `${from + 1}`;
  return `${length === 0 ? from : from + 1},${length}`;
}
