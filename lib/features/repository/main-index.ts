import "server-only";
import { MongoBulkWriteError, ObjectId } from "mongodb";
import { serverMember } from "@/lib/platform/process/server-context";
import { collections } from "./collections";
import { diffCommit, type FileChange } from "./commit-diff";
import { type Commit, subjectOf } from "./git-objects";
import { folderChanges, type HistoryChange, type Lookup, toHistory } from "./lineage";
import type { GitHistoryDoc } from "./model";
import { ignoreDuplicates, readCommitObject } from "./object-store";
import { findPositions, lineageOnMain, lineagesOnMain, type Position } from "./positions";
import { findHead, MAIN_BRANCH } from "./refs";
import { deletedOnMain, returnedFiles } from "./returned-files";
import { historiesOf, walkCommits } from "./side-commits";
import { findEntry } from "./tree-edit";

/** Number of documents that are buffered and written together during indexing. */
const FLUSH_DOCS = 1_000;
/** Number of commits in one look-up of the position from which indexing continues. */
const LOOK_BACK = 200;
/** Maximum number of paths cached during indexing; about 20 MB. */
const REMEMBERED_PATHS_MAX = 100_000;
/** Number of changed files from which they are looked up together, which reads the history of each. */
const LOOK_AHEAD_FILES = 10;
/** Subjects are shown in one line. */
const SUBJECT_CHARS = 200;

/**
 * Returns main's head after indexing its history up to it; null before the first commit. The index is written
 * after the branch moves, so a crash may leave it incomplete. The next caller completes it, and concurrent writers
 * write the same.
 */
export async function ensureIndexed(repositoryId: ObjectId): Promise<Position | null> {
  const head = await findHead(repositoryId, MAIN_BRANCH);
  return head === null ? null : indexUpTo(repositoryId, head);
}

/** Does the same as `ensureIndexed`, for a commit that is or has been main's head. */
export async function indexUpTo(repositoryId: ObjectId, head: string): Promise<Position> {
  const waiting: { oid: string; commit: Commit }[] = [];
  let base: Position | null = null;
  let next: string | null = head;
  // Usually the head or its first parent is indexed; each further look-up covers more commits.
  for (let reach = 1; next !== null && !base; reach = LOOK_BACK) {
    const stretch: { oid: string; commit: Commit }[] = [];
    while (next !== null && stretch.length < reach) {
      const commit: Commit = await readCommitObject(repositoryId, next);
      stretch.push({ oid: next, commit });
      next = commit.parents[0] ?? null;
    }
    const positions = await findPositions(repositoryId, [
      ...stretch.map(({ oid }) => oid),
      ...(next === null ? [] : [next]),
    ]);
    for (const { oid, commit } of stretch) {
      base = positions.get(oid) ?? null;
      if (base) break;
      waiting.push({ oid, commit });
    }
    if (!base && next !== null) base = positions.get(next) ?? null;
  }
  if (base && waiting.length === 0) return base;
  const writer = new IndexWriter(repositoryId, base);
  for (const { oid, commit } of waiting.toReversed()) await writer.add(oid, commit);
  const tip = await writer.finish();
  for (const tell of listeners()) await tell(repositoryId, base?.seq ?? 0, tip.seq);
  return tip;
}

/** Called for new commits on a main branch, with the positions of the last one before and of the last one now. */
export type CommitListener = (repositoryId: ObjectId, before: number, after: number) => Promise<void>;

/** Registers a listener for new commits on main. Calls may be repeated, also by two servers, and must be idempotent. */
export function onCommit(listener: CommitListener): void {
  listeners().add(listener);
}

const listeners = serverMember("commitListeners", () => new Set<CommitListener>());

/** Indexes commits of main, each on top of the previous one. */
class IndexWriter {
  private entries: GitHistoryDoc[] = [];
  private commits: Position[] = [];
  /** Main's files by path, as far as this run has seen them; entries may not be written yet. */
  private readonly latest = new Map<string, string>();

  constructor(
    private readonly repositoryId: ObjectId,
    private tip: Position | null,
  ) {}

  async add(oid: string, commit: Commit): Promise<void> {
    const sideLookup = commit.parents.length > 1 ? await this.addSide(commit) : null;
    const main = commit.parents[0];
    const lookup: Lookup = (parent, path) =>
      parent === main || !sideLookup ? this.lookup(path) : sideLookup(parent, path);
    const files = await diffCommit(this.repositoryId, commit);
    await this.lookAhead(files.filter(({ status, parent }) => status !== "added" && parent === main));
    const returned = await returnedFiles(this.repositoryId, commit, files, (_, paths) =>
      deletedOnMain(this.repositoryId, this.tip?.seq ?? 0, paths, this.entries),
    );
    const changes = await toHistory(oid, commit, files, lookup, returned);
    this.tip = this.append(oid, commit, changes, true);
    if (this.entries.length + this.commits.length >= FLUSH_DOCS) await this.flush();
  }

  async finish(): Promise<Position> {
    await this.flush();
    if (!this.tip) throw new Error("No commit to index.");
    return this.tip;
  }

  private async lookup(path: string): Promise<string | null> {
    return this.latest.get(path) ?? (this.tip && lineageOnMain(this.repositoryId, this.tip.seq, path));
  }

  /** Finds many files at once, which `lookup` then knows. */
  private async lookAhead(files: readonly FileChange[]): Promise<void> {
    if (!this.tip || files.length < LOOK_AHEAD_FILES) return;
    const paths = files.map(({ path, previousPath }) => previousPath ?? path).filter((path) => !this.latest.has(path));
    for (const [path, lineage] of await lineagesOnMain(this.repositoryId, this.tip.seq, paths)) {
      this.latest.set(path, lineage);
    }
  }

  /** Adds the commits that a merge brings, which land just before it. */
  private async addSide(merge: Commit): Promise<Lookup> {
    // Side commits look up their files in written entries.
    await this.flush();
    const base = this.tip;
    const commits = await walkCommits(
      this.repositoryId,
      merge.parents.slice(1),
      ({ seq }) => base !== null && seq <= base.seq,
    );
    const { histories, lookup } = await historiesOf(this.repositoryId, commits);
    const shown = await this.shownLineages(merge, histories);
    for (const [oid, commit] of commits) {
      const changes = (histories.get(oid) ?? []).filter(({ lineage }) => shown.has(lineage));
      this.tip = this.append(oid, commit, changes, false);
    }
    return lookup;
  }

  /**
   * Returns the files that the merge did not take unchanged from main: like git, the history omits a side that
   * lost.
   */
  private async shownLineages(merge: Commit, histories: Map<string, HistoryChange[]>): Promise<Set<string>> {
    const [main] = merge.parents;
    const before = main === undefined ? null : (await readCommitObject(this.repositoryId, main)).tree;
    const paths = new Map<string, boolean>();
    const isChanged = async (path: string) => {
      const then = before === null ? null : await findEntry(this.repositoryId, before, path);
      const now = await findEntry(this.repositoryId, merge.tree, path);
      return then?.oid !== now?.oid || then?.mode !== now?.mode;
    };
    const shown = new Set<string>();
    for (const { lineage, path, previousPath } of [...histories.values()].flat()) {
      for (const at of previousPath === null ? [path] : [path, previousPath]) {
        const known = paths.get(at) ?? (await isChanged(at));
        paths.set(at, known);
        if (known) shown.add(lineage);
      }
    }
    return shown;
  }

  private append(oid: string, commit: Commit, changes: HistoryChange[], isTip: boolean): Position {
    const seq = (this.tip?.seq ?? 0) + 1;
    const common = {
      workspaceId: this.repositoryId,
      oid,
      seq,
      author: { name: commit.author.name, email: commit.author.email },
      date: new Date(commit.author.seconds * 1000),
      subject: subjectOf(commit.message).slice(0, SUBJECT_CHARS),
      ...(commit.change !== null && { change: commit.change }),
    };
    for (const change of changes) {
      this.entries.push({ _id: new ObjectId(), ...common, ...change });
      if (change.status !== "deleted") this.latest.set(change.path, change.lineage);
    }
    for (const change of folderChanges(changes)) this.entries.push({ _id: new ObjectId(), ...common, ...change });
    const position = { oid, seq, isTip };
    this.commits.push(position);
    return position;
  }

  private async flush(): Promise<void> {
    const { repositoryId, entries, commits } = this;
    if (commits.length === 0) return;
    if (entries.length > 0) {
      await collections.gitHistory().insertMany(entries, { ordered: false }).catch(ignoreDuplicates);
    }
    await insertPositions(repositoryId, commits);
    this.entries = [];
    this.commits = [];
    if (this.latest.size > REMEMBERED_PATHS_MAX) this.latest.clear();
  }
}

/** In order, so that a commit's document implies those of its ancestors. */
async function insertPositions(repositoryId: ObjectId, positions: Position[]): Promise<void> {
  const operations = positions.map(({ oid, seq, isTip }) => ({
    updateOne: { filter: { workspaceId: repositoryId, oid }, update: { $setOnInsert: { seq, isTip } }, upsert: true },
  }));
  // Of two concurrent upserts of one document, one may fail; a retry finds the document.
  for (let from = 0; from < operations.length; ) {
    try {
      await collections.gitCommits().bulkWrite(operations.slice(from), { ordered: true });
      return;
    } catch (error) {
      ignoreDuplicates(error);
      from += error instanceof MongoBulkWriteError ? ([error.writeErrors].flat()[0]?.index ?? 0) + 1 : 0;
    }
  }
}
