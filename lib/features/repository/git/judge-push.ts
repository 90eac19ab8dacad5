import "server-only";
import type { ObjectId } from "mongodb";
import { CommitGraph, EMPTY_TREE, findObject, type ObjectType, typesOf } from "@/lib/features/repository/wire";
import { AppError } from "@/lib/platform/http/errors";
import { Pacer } from "@/lib/platform/process/pacer";
import { checkCommit, Fsck, type Link } from "./fsck";
import { judgeFiles, storedEntries } from "./judge-files";
import { MAX_DEPTH, MAX_PUSH_CHANGES, MAX_PUSH_COMPARED } from "./limits";
import { toPrintable } from "./printable";
import { type ReceivedObject, ReceivedPack } from "./received-pack";
import { Reach } from "./refs";

/** The number of files that differ between two trees, and the depth of the deepest folder in which some do. */
type Comparison = { files: number; depth: number };
type PushedCommit = { tree: string; parents: string[]; isOurs: boolean };

/** A push whose objects have been checked; permissions are checked branch by branch, and nothing is written. */
export class Push {
  private readonly commits = new Map<string, PushedCommit>();
  private readonly trees = new Map<string, Link[]>();
  private readonly sizes = new Map<string, number>();
  /** Objects of the pack that the new heads reach. The others are not stored. */
  readonly reached = new Set<string>();
  private readonly comparisons = new Map<string, Comparison>();
  private readonly pacer = new Pacer();
  private changes = 0;
  private compared = 0;
  /** Stored objects that are stored with everything they reach. */
  private readonly sound = new Map<string, ObjectType>([[EMPTY_TREE, "tree"]]);

  private constructor(
    private readonly repositoryId: ObjectId,
    private readonly reach: Reach,
    private readonly graph: CommitGraph,
  ) {}
  private received: ReceivedPack | null = null;

  get pack(): ReceivedPack {
    if (!this.received) throw new Error("The pack has not been read.");
    return this.received;
  }

  /** @throws AppError for a pack that is malformed or too large, and for objects that fail git's own check */
  static async read(repositoryId: ObjectId, bytes: Buffer, reach: Reach, signal: AbortSignal): Promise<Push> {
    const push = new Push(repositoryId, reach, new CommitGraph(repositoryId));
    const fsck = new Fsck();
    const check = ({ oid, type, content }: ReceivedObject) => {
      if (type === "commit") push.commits.set(oid, checkCommit(content));
      else if (type === "tree") push.trees.set(oid, fsck.tree(content));
      else push.sizes.set(oid, content.length);
    };
    push.received = await ReceivedPack.read(bytes, signal, check, (oids) => push.pathsOf(oids));
    const ours = [...push.commits].filter(([, { isOurs }]) => isOurs).map(([oid]) => oid);
    const stored = await typesOf(repositoryId, ours);
    if (ours.some((oid) => !stored.has(oid))) {
      throw bad("A commit header starts with millrace-, which is reserved. Recreate the commit.");
    }
    return push;
  }

  /** Returns one path for each of some files of the pack. A file that no commit of the pack reaches has none. */
  private async pathsOf(files: ReadonlySet<string>): Promise<Map<string, string>> {
    const folders = new Set(Array.from(this.commits.values(), ({ tree }) => tree));
    const above = new Map<string, { folder: string; name: string }>();
    for (const folder of folders) {
      await this.pacer.restIfLate();
      for (const { name, oid } of this.trees.get(folder) ?? []) {
        if (above.has(oid) || folders.has(oid)) continue;
        if (this.trees.has(oid)) folders.add(oid);
        else if (!files.has(oid)) continue;
        above.set(oid, { folder, name });
      }
    }
    const paths = new Map<string, string>();
    for (const file of files) {
      let at = above.get(file);
      let path = at?.name;
      for (at = at && above.get(at.folder); at; at = above.get(at.folder)) path = `${at.name}/${path}`;
      if (path !== undefined) paths.set(file, toPrintable(path));
    }
    return paths;
  }

  /**
   * Follows a new head through the pack, up to commits that are on a branch already.
   * @throws AppError if a referenced object is neither in the pack nor stored
   */
  async requireLinked(head: string): Promise<void> {
    const outside = new Set<string>();
    const queue = [head];
    const trees = new Set<string>();
    const added: PushedCommit[] = [];
    for (let oid = queue.pop(); oid !== undefined; oid = queue.pop()) {
      if (this.reached.has(oid)) continue;
      const commit = this.commits.get(oid);
      if (!commit) {
        outside.add(oid);
        continue;
      }
      this.reached.add(oid);
      added.push(commit);
      trees.add(commit.tree);
      queue.push(...commit.parents);
    }
    const known = await this.reach.among([...outside]);
    if (known.size < outside.size) throw bad("A parent commit is missing. Fetch, then push again.");
    const bases = await Promise.all([...known].map((oid) => this.treeOf(oid)));
    await this.requireTrees(trees, bases);
    await this.requireFewChanges(added);
  }

  /** Limits the work of the history index, which compares each commit with its first parent. */
  private async requireFewChanges(commits: readonly PushedCommit[]): Promise<void> {
    for (const { tree, parents } of commits) {
      const [parent] = parents;
      const before = parent === undefined ? null : await this.treeOf(parent);
      this.changes += (await this.compare(before, tree, 0)).files;
      if (this.isOverLimit(0))
        throw bad("The commits of this push change too many files. Push in parts, or squash them.");
    }
  }

  /** Counts the files that differ between two trees, up to the limits. Each pair of trees is compared once. */
  private async compare(before: string | null, after: string | null, depth: number): Promise<Comparison> {
    if (before === after) return { files: 0, depth: 0 };
    const key = `${before} ${after}`;
    const known = this.comparisons.get(key);
    // A folder may be deeper in another one.
    if (depth + (known?.depth ?? 0) > MAX_DEPTH) throw bad(`A path has more than ${MAX_DEPTH} folders.`);
    if (known) return known;
    const [old, fresh] = [await this.entries(before), await this.entries(after)];
    this.compared += old.length + fresh.length;
    await this.pacer.restIfLate();
    const links = new Map<string, [Link | null, Link | null]>();
    for (const link of old) links.set(link.name, [link, null]);
    for (const link of fresh) links.set(link.name, [links.get(link.name)?.[0] ?? null, link]);
    const found: Comparison = { files: 0, depth: 0 };
    for (const [a, b] of links.values()) {
      if (a?.oid === b?.oid && a?.kind === b?.kind) continue;
      if (this.isOverLimit(found.files)) break;
      if (a?.kind === "blob" || b?.kind === "blob") found.files++;
      const [from = null, to = null] = [a, b].map((link) => (link?.kind === "tree" ? link.oid : null));
      const inside = await this.compare(from, to, depth + 1);
      found.files += inside.files;
      found.depth = Math.max(found.depth, inside.depth + 1);
    }
    this.comparisons.set(key, found);
    return found;
  }

  /** @param more files that were found since the last commit was counted */
  private isOverLimit(more: number): boolean {
    return this.changes + more > MAX_PUSH_CHANGES || this.compared > MAX_PUSH_COMPARED;
  }

  /** Whether a head reaches another one through first parents alone, as the history of the main branch requires. */
  async isForward(before: string, after: string): Promise<boolean> {
    for (let oid: string | undefined = after; oid !== before; ) {
      const commit: { parents: readonly string[] } | null = this.commits.get(oid) ?? (await this.graph.find(oid));
      oid = commit?.parents[0];
      if (oid === undefined) return false;
      // A landed commit has only landed ancestors.
      if (!this.commits.has(oid) && oid !== before && (await this.graph.find(oid))?.seq) return false;
    }
    return true;
  }

  /** Whether a head reaches another one, by any parents. */
  async reaches(head: string, other: string): Promise<boolean> {
    const outside = new Set<string>();
    const seen = new Set<string>();
    const queue = [head];
    for (let oid = queue.pop(); oid !== undefined; oid = queue.pop()) {
      if (oid === other) return true;
      if (seen.has(oid)) continue;
      seen.add(oid);
      const commit = this.commits.get(oid);
      if (commit) queue.push(...commit.parents);
      else outside.add(oid);
    }
    return (await (await Reach.of(this.repositoryId, [...outside])).among([other])).size > 0;
  }

  /** Validates the changes between two states (`judgeFiles`). */
  judgeFiles(before: string | null, after: string, known: string | null = null): Promise<void> {
    const content = async (oid: string) =>
      (await this.pack.content(oid)) ?? (await findObject(this.repositoryId, oid))?.content ?? null;
    return judgeFiles(
      {
        treeOf: (oid) => this.treeOf(oid),
        entries: (tree) => this.entries(tree),
        sizeOf: async (oid) => this.sizes.get(oid),
        content,
      },
      before,
      after,
      known,
    );
  }

  /**
   * @param bases trees of commits on a branch, which are stored with everything they reach. Beside them only what has
   *   changed is followed
   */
  private async requireTrees(starts: ReadonlySet<string>, bases: readonly string[]): Promise<void> {
    const outside = new Map<string, ObjectType>();
    const queue = Array.from(starts, (oid) => ({ oid, bases }));
    const name = (oid: string, kind: ObjectType) => {
      const found = this.pack.typeOf(oid);
      if (found !== null && found !== kind) throw bad("A tree entry has an object of another type.");
      if (found === null && this.sound.get(oid) !== kind) outside.set(oid, kind);
      return found !== null;
    };
    for (const oid of bases) this.sound.set(oid, "tree");
    for (const { oid } of queue) name(oid, "tree");
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) {
      const links = this.trees.get(item.oid);
      if (this.reached.has(item.oid) || !links) continue;
      this.reached.add(item.oid);
      const known = (await Promise.all(item.bases.map((base) => this.entries(base)))).flat();
      const folders = new Map<string, string[]>();
      for (const { name: at, oid, kind } of known) {
        this.sound.set(oid, kind);
        if (kind === "tree") folders.set(at, [...(folders.get(at) ?? []), oid]);
      }
      for (const link of links) {
        if (!name(link.oid, link.kind)) continue;
        if (link.kind === "tree") queue.push({ oid: link.oid, bases: folders.get(link.name) ?? [] });
        else this.reached.add(link.oid);
      }
    }
    await this.requireStored(outside);
  }

  /**
   * Requires that objects outside the pack are stored with everything they reach: a broken push may have left a part.
   */
  private async requireStored(named: Map<string, ObjectType>): Promise<void> {
    for (let level = named; level.size > 0; ) {
      const types = await typesOf(this.repositoryId, [...level.keys()]);
      const next = new Map<string, ObjectType>();
      for (const [oid, kind] of level) {
        if (types.get(oid) !== kind) throw bad("A tree entry has a missing object. Fetch, then push again.");
        this.sound.set(oid, kind);
        if (kind !== "tree") continue;
        for (const link of await this.entries(oid))
          if (this.sound.get(link.oid) !== link.kind) next.set(link.oid, link.kind);
      }
      level = next;
    }
  }

  private async treeOf(oid: string): Promise<string> {
    return this.commits.get(oid)?.tree ?? (await this.graph.get(oid)).tree;
  }

  private async entries(oid: string | null): Promise<Link[]> {
    if (oid === null || oid === EMPTY_TREE) return [];
    const links = this.trees.get(oid);
    if (links) return links;
    return storedEntries(this.repositoryId, oid);
  }
}

function bad(message: string): AppError {
  return new AppError("invalid_request", message);
}
