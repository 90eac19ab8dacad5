import "server-only";
import type { CommitGraph, CommitNode } from "@/lib/features/repository/wire";

/** Depth of the history that a reader requests; null for all of it. */
export type Depth =
  | { kind: "commits"; count: number; isRelative: boolean }
  | { kind: "since"; seconds: number; not: readonly string[] }
  | null;

/** The commits that a reader wants and has. */
export type Ask = {
  wants: readonly string[];
  /** Commits that both sides have. */
  common: readonly string[];
  /** The reader's commits whose parents it lacks. */
  shallow: ReadonlySet<string>;
  depth: Depth;
};

export type Choice = {
  /** Parents first. */
  commits: CommitNode[];
  shallow: string[];
  unshallow: string[];
  /** Whether the reader has a commit and all its ancestors. */
  isOwned: (oid: string) => boolean;
};

/** Git's value for a full history. */
const ALL_OF_IT = 0x7fffffff;

/** Returns the commits that a reader lacks, and the end of its history. Null if a bounded history is empty. */
export async function chooseCommits(graph: CommitGraph, ask: Ask): Promise<Choice | null> {
  const { wants, common, depth } = ask;
  const ends = depth ? await endsOf(graph, ask, depth) : { shallow: new Set<string>(), unshallow: [] };
  if (!ends) return null;
  const cut = new Set([...ask.shallow, ...ends.shallow]);
  for (const oid of ends.unshallow) cut.delete(oid);
  const parentsWithin = (limits: ReadonlySet<string>) => (node: CommitNode) =>
    limits.has(node.oid) ? [] : node.parents;
  const isOwned = await ownedBy(graph, common, ask.shallow);
  const lacks = await graph.walk(wants, (node) => isOwned(node), parentsWithin(cut));
  const commits = [...lacks.values()];
  // Below a commit that the reader has, its history may become deeper: the commits there are to be sent too.
  for (const oid of ends.unshallow) {
    const { parents } = await graph.get(oid);
    const below = await graph.walk(parents, (node) => isOwned(node) || lacks.has(node.oid), parentsWithin(cut));
    for (const [each, node] of below) {
      lacks.set(each, node);
      commits.push(node);
    }
  }
  return {
    commits,
    shallow: [...ends.shallow].filter((oid) => !ask.shallow.has(oid)),
    unshallow: ends.unshallow,
    isOwned: (oid) => {
      // The graph knows each commit that was walked.
      const node = graph.peek(oid);
      return node !== null && isOwned(node);
    },
  };
}

/** A landed commit is owned if a later head of main is; the others are walked. */
async function ownedBy(
  graph: CommitGraph,
  common: readonly string[],
  shallow: ReadonlySet<string>,
): Promise<(node: CommitNode) => boolean> {
  const seq = shallow.size > 0 ? 0 : await tipOf(graph, common);
  const landed = (node: CommitNode) => node.seq !== null && node.seq <= seq;
  const walked = await graph.walk(common, landed, (node) => (shallow.has(node.oid) ? [] : node.parents));
  return (node) => landed(node) || walked.has(node.oid);
}

async function tipOf(graph: CommitGraph, common: readonly string[]): Promise<number> {
  let seq = 0;
  for (const oid of common) {
    const node = await graph.get(oid);
    if (node.isTip && (node.seq ?? 0) > seq) seq = node.seq ?? 0;
  }
  return seq;
}

async function endsOf(
  graph: CommitGraph,
  { wants, shallow }: Ask,
  depth: NonNullable<Depth>,
): Promise<{ shallow: Set<string>; unshallow: string[] } | null> {
  if (depth.kind === "since") return endsSince(graph, wants, shallow, depth);
  if (depth.count >= ALL_OF_IT) return { shallow: new Set(), unshallow: await held(graph, shallow) };
  // A relative depth counts from the end of the reader's history.
  const starts = depth.isRelative ? await held(graph, shallow) : wants;
  const count = depth.isRelative ? depth.count + 1 : depth.count;
  const depths = new Map<string, number>();
  let level = [...new Set(starts)];
  for (let at = 1; level.length > 0 && at <= count; at++) {
    const next = new Set<string>();
    for (const oid of level) {
      depths.set(oid, at);
      for (const parent of (await graph.get(oid)).parents) next.add(parent);
    }
    level = [...next].filter((oid) => !depths.has(oid));
  }
  const ends = new Set<string>();
  const unshallow: string[] = [];
  for (const [oid, at] of depths) {
    const hasParents = (await graph.get(oid)).parents.length > 0;
    if (at === count && hasParents) ends.add(oid);
    else if (shallow.has(oid)) unshallow.push(oid);
  }
  return { shallow: ends, unshallow };
}

async function endsSince(
  graph: CommitGraph,
  wants: readonly string[],
  shallow: ReadonlySet<string>,
  { seconds, not }: { seconds: number; not: readonly string[] },
): Promise<{ shallow: Set<string>; unshallow: string[] } | null> {
  const left = await graph.walk(not, () => false);
  const within = await graph.walk(wants, (node) => node.seconds < seconds || left.has(node.oid));
  if (within.size === 0) return null;
  const ends = new Set<string>();
  const unshallow: string[] = [];
  for (const [oid, { parents }] of within) {
    if (parents.some((parent) => !within.has(parent))) ends.add(oid);
    else if (shallow.has(oid)) unshallow.push(oid);
  }
  return { shallow: ends, unshallow };
}

async function held(graph: CommitGraph, oids: Iterable<string>): Promise<string[]> {
  const found: string[] = [];
  for (const oid of oids) if (await graph.find(oid)) found.push(oid);
  return found;
}
