import "server-only";
import {
  createReview,
  findMergeBase,
  isReviewBranch,
  ownBranch,
  REVIEW_FOLDER,
} from "@/lib/features/repository/service";
import {
  findBranchHead,
  findHead,
  MAIN_BRANCH,
  moveHead,
  removeHead,
  toRef,
  writePacked,
} from "@/lib/features/repository/wire";
import { isReadOnly } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { AppError } from "@/lib/platform/http/errors";
import { QueueFullError, Semaphore } from "@/lib/platform/process/semaphore";
import { serverMember } from "@/lib/platform/process/server-context";
import { alive, wordsOf } from "./answer";
import type { GitCaller } from "./entry";
import { Push } from "./judge-push";
import { MAX_PACK_BYTES } from "./limits";
import { FLUSH, pktLine, sideBand } from "./pkt-line";
import { toPrintableLines } from "./printable";
import type { Command, PushRequest } from "./push-request";
import { pushLanding } from "./pushed-files";
import { MAIN_REF, Reach, visibleRefs } from "./refs";
import { AGENT } from "./upload-pack";

const CAPABILITIES = `report-status report-status-v2 push-options delete-refs side-band-64k quiet atomic ofs-delta no-thin object-format=sha1 agent=${AGENT}`;
const NOTHING = "0".repeat(40);
/** Maximum number of pushes that one server validates at once: each may hold a pack and its largest files unpacked. */
const PUSHES_AT_ONCE = 2;
const PUSHES_WAITING_MAX = 20;
/** Option of a push that is only validated. */
const DRY_RUN = "dry-run";
const ELSEWHERE = "another branch of this push was rejected";

/** Requires that the caller may push. @throws AppError forbidden */
export function requireWriter(caller: GitCaller): void {
  if (isReadOnly(caller))
    throw new AppError("forbidden", "This API key is read-only. Create a full-access key to push.");
}

/** Returns the branches and the server's capabilities, which a client requests before it pushes. */
export async function advertiseReceive({ workspaceId, user }: GitCaller): Promise<Buffer> {
  const refs = await visibleRefs({ workspaceId, userId: user._id });
  const [first, ...others] = refs;
  return Buffer.concat([
    pktLine("# service=git-receive-pack\n"),
    FLUSH,
    pktLine(`${first?.oid ?? NOTHING} ${first?.ref ?? "capabilities^{}"}\0${CAPABILITIES}\n`),
    ...others.map(({ oid, ref }) => pktLine(`${oid} ${ref}\n`)),
    FLUSH,
  ]);
}

/** The result for each branch; null is success. */
type Outcome = { unpack: string | null; refs: Map<string, string | null> };

/** Validates a whole push, and moves branches only if nothing is refused. */
export async function* receivePack(
  caller: GitCaller,
  request: PushRequest & { isTooLarge: boolean },
  signal: AbortSignal,
): AsyncGenerator<Buffer, void> {
  const hasBands = request.capabilities.has("side-band-64k");
  const work = receive(caller, request, signal);
  const outcome = hasBands ? yield* alive(work) : await work;
  const { capabilities } = request;
  const isDry = request.options.has(DRY_RUN);
  const report = toReport(request.commands, outcome, { isDry, isV2: capabilities.has("report-status-v2") });
  if (!capabilities.has("report-status") && !capabilities.has("report-status-v2")) return;
  if (!hasBands) {
    yield report;
    return;
  }
  const words = new Set([outcome.unpack, ...outcome.refs.values()].filter((why) => why !== null && why !== ELSEWHERE));
  if (isDry && words.size === 0) words.add("Dry run: the push is valid. Nothing was changed.");
  for (const why of words) yield sideBand(2, Buffer.from(`${toPrintableLines(why ?? "")}\n`));
  yield sideBand(1, report);
  yield FLUSH;
}

const pushes = serverMember("gitPushes", () => new Semaphore(PUSHES_AT_ONCE, PUSHES_WAITING_MAX));

async function receive(
  caller: GitCaller,
  request: PushRequest & { isTooLarge: boolean },
  signal: AbortSignal,
): Promise<Outcome> {
  if (request.isTooLarge || request.pack.length > MAX_PACK_BYTES) {
    return { unpack: "A push is limited to 64 MiB. Push in parts.", refs: new Map() };
  }
  let release: (() => void) | undefined;
  try {
    release = await pushes().acquire(signal);
    return await judgeAndMove(caller, request, signal);
  } catch (error) {
    const why =
      error instanceof QueueFullError ? "Too many pushes at once. Try again in a minute." : wordsOf(error, signal);
    return { unpack: why, refs: new Map() };
  } finally {
    release?.();
  }
}

async function judgeAndMove(
  caller: GitCaller,
  { commands, capabilities, options, pack }: PushRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  const { workspaceId, user } = caller;
  const refs = new Map<string, string | null>();
  for (const command of commands) refs.set(command.ref, await refusalOf(caller, command));
  const open = commands.filter(({ ref }) => refs.get(ref) === null);
  const refuseAll = (why: string) => {
    for (const { ref } of open) refs.set(ref, why);
    return { unpack: null, refs };
  };
  if (open.length === 0) return { unpack: null, refs };
  if (capabilities.has("atomic") && open.length < commands.length) return refuseAll(ELSEWHERE);

  const heads = (await visibleRefs({ workspaceId, userId: user._id })).map(({ oid }) => oid);
  const push = await Push.read(workspaceId, pack, await Reach.of(workspaceId, heads), signal);
  try {
    for (const { ref, before, after } of open) {
      if (after === null) continue;
      await push.requireLinked(after);
      const isMain = ref === MAIN_REF;
      if (isMain && before !== null && !(await push.isForward(before, after))) {
        return refuseAll("main requires a linear history. Run git pull --rebase, then push again.");
      }
      if (isReviewBranch(toBranch(ref)) && before !== null && !(await push.reaches(after, before))) {
        return refuseAll("A review branch can't be rewritten. Add a commit, or push to another name.");
      }
      if (isMain) await push.judgeFiles(before, after);
      else await push.judgeFiles(await findHead(workspaceId, MAIN_BRANCH), after, before);
    }
  } catch (error) {
    if (error instanceof AppError && error.kind === "invalid_request") return refuseAll(error.message);
    throw error;
  }
  signal.throwIfAborted();
  // Objects are stored before the objects that refer to them: files, then folders, then commits.
  for (const type of ["blob", "tree", "commit"] as const) {
    await writePacked(workspaceId, push.pack.packed(type, push.reached));
  }
  if (options.has(DRY_RUN)) {
    for (const { ref, before, after } of open) {
      refs.set(ref, after === null ? null : await faultOf(() => judgeStoredPush(caller, ref, before, after)));
    }
    return { unpack: null, refs };
  }
  return { unpack: null, refs: await move(caller, open, refs, capabilities.has("atomic")) };
}

/** Checks what depends on the workspace. @throws AppError invalid_request */
async function judgeStoredPush(caller: GitCaller, ref: string, before: string | null, after: string): Promise<void> {
  const { workspaceId } = caller;
  if (ref === MAIN_REF) await pushLanding().judge(caller, before, after);
  else if (isReviewBranch(toBranch(ref))) {
    // What main has changed since is not part of the review.
    const main = await findHead(workspaceId, MAIN_BRANCH);
    await pushLanding().judge(caller, main && (await findMergeBase(workspaceId, main, after)), after);
  }
}

/** Returns the reason to refuse a command, before its objects are read, or null. */
async function refusalOf(caller: GitCaller, { ref, before, after }: Command): Promise<string | null> {
  const { workspaceId, user, role } = caller;
  const own = ownBranch(user._id);
  const branch = toBranch(ref);
  const isReview = isReviewBranch(branch);
  if (ref !== MAIN_REF && ref !== toRef(own) && !isReview) {
    return `allowed branches are main, ${REVIEW_FOLDER}<name> and ${own}`;
  }
  if (ref === MAIN_REF) {
    if (!isAtLeast(role, "admin")) return `only admins can push to main; push to ${REVIEW_FOLDER}<name>`;
    if (after === null) return "main can't be deleted";
  }
  const head = await findBranchHead(workspaceId, branch);
  if (head?.pullRequest) return "this branch follows a pull request; push to the pull request";
  if ((head?.oid ?? null) !== before) return "fetch first";
  if (isReview && after === null && !isAtLeast(role, "admin") && !head?.createdBy?.equals(user._id)) {
    return "only admins and its creator can delete a review branch";
  }
  return null;
}

/**
 * Moves each branch by compare-and-set. If an atomic push was requested, branches that moved are reset when a later one
 * fails.
 */
async function move(
  caller: GitCaller,
  commands: readonly Command[],
  refs: Map<string, string | null>,
  isAtomic: boolean,
): Promise<Map<string, string | null>> {
  // Main last: it never moves back.
  const ordered = commands.toSorted((a, b) => Number(a.ref === MAIN_REF) - Number(b.ref === MAIN_REF));
  const done: Command[] = [];
  for (const command of ordered) {
    const reason = await set(caller, command);
    if (reason === null) {
      done.push(command);
      continue;
    }
    refs.set(command.ref, reason);
    if (!isAtomic) continue;
    for (const each of done) await reset(caller, each);
    for (const { ref } of commands) if (ref !== command.ref) refs.set(ref, ELSEWHERE);
    return refs;
  }
  return refs;
}

/** Moves a branch back. */
async function reset({ workspaceId }: GitCaller, { ref, before, after }: Command): Promise<void> {
  const branch = toBranch(ref);
  if (before !== null) await moveHead(workspaceId, branch, after, before);
  else if (after !== null) await removeHead(workspaceId, branch, after);
}

/** @returns the reason why the branch was not moved, or null */
async function set(caller: GitCaller, { ref, before, after }: Command): Promise<string | null> {
  const { workspaceId, user } = caller;
  const branch = toBranch(ref);
  let isMoved = false;
  const fault = await faultOf(async () => {
    if (after === null) isMoved = before === null || (await removeHead(workspaceId, branch, before));
    else if (ref === MAIN_REF) isMoved = await pushLanding().land(caller, before, after);
    else {
      await judgeStoredPush(caller, ref, before, after);
      const isNewReview = before === null && isReviewBranch(branch);
      isMoved = isNewReview
        ? await createReview(workspaceId, { name: branch, sha: after, createdBy: user._id })
        : await moveHead(workspaceId, branch, before, after);
    }
  });
  return fault ?? (isMoved ? null : "fetch first");
}

/** Runs work, and returns the message of an error of the pushed files; null without one. */
async function faultOf(work: () => Promise<void>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof AppError && (error.kind === "invalid_request" || error.kind === "conflict")) {
      return error.message;
    }
    throw error;
  }
}

/** Returns the branch of a ref; empty for a ref that is not a branch. */
function toBranch(ref: string): string {
  const folder = toRef("");
  return ref.startsWith(folder) ? ref.slice(folder.length) : "";
}

/**
 * Returns git's report. After a dry run, version 2 tells the client that each branch stayed where it was, so that its
 * own copies of the branches stay too. Older clients get an error for that.
 */
function toReport(
  commands: readonly Command[],
  { unpack, refs }: Outcome,
  { isDry, isV2 }: { isDry: boolean; isV2: boolean },
): Buffer {
  const lines = commands.flatMap(({ ref, before }) => {
    const why = unpack === null ? (refs.get(ref) ?? null) : "nothing was accepted";
    if (why !== null) return [pktLine(`ng ${ref} ${toPrintableLines(why)}\n`)];
    if (!isDry) return [pktLine(`ok ${ref}\n`)];
    if (!isV2) return [pktLine(`ng ${ref} dry run: valid, nothing was changed\n`)];
    return [pktLine(`ok ${ref}\n`), pktLine(`option new-oid ${before ?? NOTHING}\n`)];
  });
  return Buffer.concat([pktLine(`unpack ${toPrintableLines(unpack ?? "ok")}\n`), ...lines, FLUSH]);
}
