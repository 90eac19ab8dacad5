import "server-only";
import { CommitGraph } from "@/lib/features/repository/wire";
import { AppError } from "@/lib/platform/http/errors";
import { Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import { alive, wordsOf } from "./answer";
import { BasePack, STRETCH_COMMITS_MIN, wakeBasePack } from "./base-pack";
import { type Choice, chooseCommits, type Depth } from "./choose-commits";
import { type FetchRequest, parseV2 } from "./fetch-request";
import { packBytes } from "./pack-bytes";
import { planPack } from "./pack-plan";
import { DELIMITER, FLUSH, pktLine, sideBand } from "./pkt-line";
import { type GitReader, MAIN_REF, Reach, visibleRefs } from "./refs";

/** The server's name for git clients. */
export const AGENT = "millrace/1";
/** Maximum number of packs that one server builds at once: each needs some hundred megabytes at worst. */
const PACKS_AT_ONCE = 3;
/** Further ones wait, with heartbeats. */
const PACKS_WAITING_MAX = 100;

/** Returns the server's capabilities, which a client of version 2 requests first. */
export function advertiseUpload(): Buffer {
  return Buffer.concat([
    ...["version 2", `agent=${AGENT}`, "ls-refs=unborn", "fetch=shallow wait-for-done", "object-format=sha1"].map(
      (line) => pktLine(`${line}\n`),
    ),
    FLUSH,
  ]);
}

/** Returns the message for a client with an older protocol version. We support no second protocol. */
export function refuseOldUpload(): Buffer {
  return Buffer.concat([
    pktLine("# service=git-upload-pack\n"),
    FLUSH,
    pktLine("ERR This server requires git protocol version 2. Use git 2.18 or later, with protocol.version 2.\n"),
    FLUSH,
  ]);
}

/**
 * Handles one command of protocol version 2. No state is kept between commands.
 * @throws AppError invalid_request for an invalid message, before the response starts
 */
export function uploadPack(reader: GitReader, message: Buffer, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const request = parseV2(message);
  if (request === null) return nothing();
  return told(request.command === "ls-refs" ? listRefs(reader, request) : fetchPack(reader, request, signal), signal);
}

/** Reports an error in the middle of a response, in the protocol's own form. */
async function* told(pieces: AsyncGenerator<Buffer, void>, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  try {
    yield* pieces;
  } catch (error) {
    yield failure(wordsOf(error, signal));
  }
}

async function* nothing(): AsyncGenerator<Buffer, void> {}

async function* listRefs(
  reader: GitReader,
  { symrefs, unborn, prefixes }: { symrefs: boolean; unborn: boolean; prefixes: string[] },
): AsyncGenerator<Buffer, void> {
  const refs = await visibleRefs(reader);
  const isAsked = (name: string) => prefixes.length === 0 || prefixes.some((prefix) => name.startsWith(prefix));
  const target = symrefs ? ` symref-target:${MAIN_REF}` : "";
  const head = refs.find(({ ref }) => ref === MAIN_REF);
  if (isAsked("HEAD")) {
    if (head) yield pktLine(`${head.oid} HEAD${target}\n`);
    else if (unborn) yield pktLine(`unborn HEAD${target}\n`);
  }
  for (const { ref, oid } of refs) if (isAsked(ref)) yield pktLine(`${oid} ${ref}\n`);
  yield FLUSH;
}

async function* fetchPack(reader: GitReader, request: FetchRequest, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  if (request.wants.length === 0) {
    yield FLUSH;
    return;
  }
  const { workspaceId } = reader;
  const refs = await visibleRefs(reader);
  const reach = await Reach.of(
    workspaceId,
    refs.map(({ oid }) => oid),
  );
  const allowed = await reach.among(request.wants);
  const refused = request.wants.find((oid) => !allowed.has(oid));
  if (refused !== undefined) {
    // It does not reveal whether the object exists.
    yield failure(`upload-pack: not our ref ${refused}`);
    return;
  }
  const notRefs = request.deepenNot.map((name) => refs.find(({ ref }) => ref === name || ref === `refs/heads/${name}`));
  if (notRefs.includes(undefined)) {
    yield failure("upload-pack: an excluded branch does not exist");
    return;
  }
  const common = await reach.among(request.haves);
  if (!request.isDone && request.haves.length > 0) {
    yield pktLine("acknowledgments\n");
    if (common.size === 0) yield pktLine("NAK\n");
    for (const oid of common) yield pktLine(`ACK ${oid}\n`);
    const isReady = !request.waitForDone && common.size > 0 && (await reachesCommon(reader, request.wants, common));
    if (!isReady) {
      yield FLUSH;
      return;
    }
    yield pktLine("ready\n");
    yield DELIMITER;
  } else if (!request.isDone && request.waitForDone) {
    yield pktLine("acknowledgments\n");
    yield pktLine("NAK\n");
    yield FLUSH;
    return;
  }
  const graph = new CommitGraph(workspaceId);
  const shallow = new Set(await knownOf(graph, request.shallow));
  const not = notRefs.flatMap((ref) => ref?.oid ?? []);
  const depth = depthOf(request, not);
  const { base, missing } = await baseOf(reader, request, common, depth);
  // With a base pack, a clone is a fetch by a client that has its last commit.
  const owned = base ? [base.tip] : [...common];
  const choice = await chooseCommits(graph, { wants: request.wants, common: owned, shallow, depth });
  if (!choice) {
    yield failure("upload-pack: no commits are that recent");
    return;
  }
  if (depth) {
    yield pktLine("shallow-info\n");
    for (const oid of choice.shallow) yield pktLine(`shallow ${oid}\n`);
    for (const oid of choice.unshallow) yield pktLine(`unshallow ${oid}\n`);
    yield DELIMITER;
  }
  yield pktLine("packfile\n");
  try {
    yield* sendPack(graph, choice, { base, useDeltas: request.ofsDelta, signal });
  } catch (error) {
    yield sideBand(3, Buffer.from(`${wordsOf(error, signal)}\n`));
  } finally {
    // Building it plans the same commits again: beside a clone, both would take twice as long.
    if (missing !== null) void wakeBasePack(workspaceId, missing);
  }
  yield FLUSH;
}

async function* sendPack(
  graph: CommitGraph,
  { commits, isOwned }: Choice,
  { base, useDeltas, signal }: { base: BasePack | null; useDeltas: boolean; signal: AbortSignal },
): AsyncGenerator<Buffer, void> {
  const place = slot(signal);
  try {
    yield* alive(place);
    const ownedTree = (oid: string) => (isOwned(oid) ? (graph.peek(oid)?.tree ?? null) : null);
    const known = base && commits.length > 0 ? await base.known() : null;
    const has = (oid: string) => known?.has(oid) ?? false;
    const plan = yield* alive(planPack(graph.repositoryId, commits, { ownedTree, has, useDeltas, signal }));
    if (base) plan.blobs.push(...base.loose);
    for await (const piece of packBytes(graph.repositoryId, plan, base, signal)) yield sideBand(1, piece);
  } finally {
    // Also if it is granted after the reader has disconnected.
    void place.then(
      (release) => release(),
      () => undefined,
    );
  }
}

/**
 * Returns the base pack for a clone of the full history; null if there is none, or if the reader has commits.
 * @returns `missing`: position up to which stretches were not built in time, null for none
 */
async function baseOf(
  { workspaceId }: GitReader,
  request: FetchRequest,
  common: ReadonlySet<string>,
  depth: Depth,
): Promise<{ base: BasePack | null; missing: number | null }> {
  if (common.size > 0 || request.shallow.length > 0 || depth || !request.ofsDelta) return { base: null, missing: null };
  const reach = await Reach.of(workspaceId, request.wants);
  const base = await BasePack.of(workspaceId, async (tip) => (await reach.among([tip])).size > 0);
  const isBehind = reach.landed - (base?.seq ?? 0) >= 2 * STRETCH_COMMITS_MIN;
  return { base, missing: isBehind ? reach.landed : null };
}

/** Whether every requested commit leads to a common one, so that more negotiation would not make the pack smaller. */
async function reachesCommon(
  { workspaceId }: GitReader,
  wants: readonly string[],
  common: ReadonlySet<string>,
): Promise<boolean> {
  const shared = [...common];
  const theirs = await Reach.of(workspaceId, shared);
  for (const want of wants) {
    if ((await theirs.among([want])).size > 0) continue;
    if ((await (await Reach.of(workspaceId, [want])).among(shared)).size === 0) return false;
  }
  return true;
}

function depthOf(request: FetchRequest, not: string[]): Depth {
  if (request.deepen !== null) {
    return { kind: "commits", count: request.deepen, isRelative: request.deepenRelative };
  }
  if (request.deepenSince === null && not.length === 0) return null;
  return { kind: "since", seconds: request.deepenSince ?? 0, not };
}

async function knownOf(graph: CommitGraph, oids: readonly string[]): Promise<string[]> {
  const known: string[] = [];
  for (const oid of oids) if (await graph.find(oid)) known.push(oid);
  return known;
}

const packs = serverMember("gitPacks", () => new Semaphore(PACKS_AT_ONCE, PACKS_WAITING_MAX));

async function slot(signal: AbortSignal): Promise<() => void> {
  try {
    return await packs().acquire(signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new AppError("unavailable", "Too many clones at once. Try again in a minute.", { cause });
  }
}

function failure(message: string): Buffer {
  return pktLine(`ERR ${message}\n`);
}
