import "server-only";
import type { ObjectId } from "mongodb";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { type FileName, findChange, lineageIn, openView } from "./history";
import { MAX_PATCH_BYTES } from "./limits";
import { contentsOf, countLines } from "./line-counts";
import type { HistoryChange } from "./lineage";
import type { FileStatus } from "./model";
import { readBlob, readCommitObject } from "./object-store";
import { type CommitInfo, parseSha, pickOne, shaRange, toCommitInfo } from "./read";
import { isText } from "./text-content";
import { binaryPatch, unifiedPatch } from "./unified-patch";

export type FileDiff = {
  path: string;
  previousPath: string | null;
  status: FileStatus;
  /** The text before and after. Null if the file did not or does not exist, or is binary. */
  before: string | null;
  after: string | null;
  isBinary: boolean;
  /**
   * Number of added lines, ignoring a missing last newline. Null if the texts are too large to compare; then `patch` is
   * null as well.
   */
  additions: number | null;
  deletions: number | null;
  /** In git's format, for `git apply`. */
  patch: string | null;
};

/** A change of one file, by the ids of its contents; null if it did not or does not exist. */
export type ChangedBlobs = Pick<HistoryChange, "path" | "previousPath" | "status" | "before" | "after">;

export type CommitChange = CommitInfo & { files: FileDiff[] };

/** A commit has one or two entries for a file, so more candidates are ambiguous anyway. */
const ENTRIES_MAX = 10;

/**
 * Returns the change of one commit to one file, without its other files (docs/develop/api.md, Consoles).
 * @param input.sha 7..40 hex digits, which must be unique among the commits of this file only
 * @throws AppError invalid_request (malformed sha), not_found (unknown, or it did not touch the file), conflict
 *   (ambiguous)
 * @param input.contentIn returns the part of a file's text to compare; all of it if only the rest differs
 */
export async function changeOf(
  input: { repositoryId: ObjectId; branch?: string; sha: string; contentIn?: (text: string) => string } & FileName,
): Promise<CommitChange> {
  const { repositoryId } = input;
  const prefix = parseSha(input.sha);
  const view = await openView({ repositoryId, branch: input.branch });
  const lineage = view && (await lineageIn(view, input));
  if (!view || lineage === null) throw new AppError("not_found", "Commit not found.");
  const found = new Map<string, HistoryChange>();
  for (const [oid, changes] of view.histories) {
    const change = oid.startsWith(prefix) ? findChange(changes, lineage) : null;
    if (change) found.set(oid, change);
  }
  const entries = await collections
    .gitHistory()
    .find({ workspaceId: repositoryId, lineage, oid: shaRange(prefix) })
    .limit(ENTRIES_MAX)
    .toArray();
  const landed = entries.filter(({ seq }) => seq <= (view.tip?.seq ?? 0));
  for (const { oid } of landed) {
    const change = findChange(
      landed.filter((entry) => entry.oid === oid),
      lineage,
    );
    if (change) found.set(oid, change);
  }
  const sha = pickOne([...found.keys()]);
  const commit = await readCommitObject(repositoryId, sha);
  const change = found.get(sha);
  return { ...toCommitInfo(sha, commit), files: change ? [await diffFile(repositoryId, change, input.contentIn)] : [] };
}

/**
 * Returns one file's change with its texts.
 * @param contentIn returns the compared part of a text
 */
export async function diffFile(
  repositoryId: ObjectId,
  change: ChangedBlobs,
  contentIn?: (text: string) => string,
): Promise<FileDiff> {
  const { path, previousPath, status } = change;
  const before = change.before === null ? null : await readBlob(repositoryId, change.before);
  const after = change.after === null ? null : await readBlob(repositoryId, change.after);
  const common = { path, previousPath, status };
  const names = { oldPath: before && (previousPath ?? path), newPath: after && path };
  if (!isText(before) || !isText(after)) {
    const patch = binaryPatch(names);
    return { ...common, before: null, after: null, isBinary: true, additions: 0, deletions: 0, patch };
  }
  const texts = contentsOf(
    { before: before?.toString("utf8") ?? null, after: after?.toString("utf8") ?? null },
    contentIn,
  );
  if ((before?.length ?? 0) + (after?.length ?? 0) > MAX_PATCH_BYTES) {
    return { ...common, ...texts, isBinary: false, additions: null, deletions: null, patch: null };
  }
  const sides = { before: texts.before ?? "", after: texts.after ?? "" };
  const { patch } = unifiedPatch({ ...names, ...sides });
  return { ...common, ...texts, isBinary: false, patch, ...countLines(sides.before, sides.after) };
}
