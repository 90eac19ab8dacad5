import "server-only";
import { ownBranch } from "@/lib/features/repository/service";
import { findHead, MAIN_BRANCH, moveHead, removeHead, toRef, writePacked } from "@/lib/features/repository/wire";
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
import type { Command, PushRequest } from "./push-request";
import { landPush } from "./pushed-files";
import { MAIN_REF, Reach, visibleRefs } from "./refs";
import { AGENT } from "./upload-pack";

const CAPABILITIES = `report-status delete-refs side-band-64k quiet atomic ofs-delta no-thin object-format=sha1 agent=${AGENT}`;
const NOTHING = "0".repeat(40);
/** Maximum number of pushes that one server validates at once: each may hold a pack and its largest files unpacked. */
const PUSHES_AT_ONCE = 2;
const PUSHES_WAITING_MAX = 20;
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
  const report = toReport(request.commands, outcome);
  if (!request.capabilities.has("report-status")) return;
  if (!hasBands) {
    yield report;
    return;
  }
  const words = new Set([outcome.unpack, ...outcome.refs.values()].filter((why) => why !== null && why !== ELSEWHERE));
  for (const why of words) yield sideBand(2, Buffer.from(`${why}\n`));
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
  { commands, capabilities, pack }: PushRequest,
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
        return refuseAll(
          ref === MAIN_REF ? "main requires a linear history. Run git pull --rebase, then push again." : ELSEWHERE,
        );
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
  return { unpack: null, refs: await move(caller, open, refs, capabilities.has("atomic")) };
}

/** Returns the reason to refuse a command, before its objects are read, or null. */
async function refusalOf(caller: GitCaller, { ref, before, after }: Command): Promise<string | null> {
  const { workspaceId, user, role } = caller;
  const own = toRef(ownBranch(user._id));
  if (ref !== MAIN_REF && ref !== own) return `allowed branches are main and ${own.slice("refs/heads/".length)}`;
  if (ref === MAIN_REF) {
    if (!isAtLeast(role, "admin")) return `only admins can push to main; push to ${own.slice("refs/heads/".length)}`;
    if (after === null) return "main can't be deleted";
  }
  const head = await findHead(workspaceId, ref.slice("refs/heads/".length));
  return head === before ? null : "fetch first";
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
    for (const { ref, before, after } of done) await set(caller, { ref, before: after, after: before });
    for (const { ref } of commands) if (ref !== command.ref) refs.set(ref, ELSEWHERE);
    return refs;
  }
  return refs;
}

/** @returns the reason why the branch was not moved, or null */
async function set(caller: GitCaller, { ref, before, after }: Command): Promise<string | null> {
  const { workspaceId } = caller;
  const branch = ref.slice("refs/heads/".length);
  try {
    const isMoved =
      ref === MAIN_REF && after !== null
        ? await landPush(caller, before, after)
        : after !== null
          ? await moveHead(workspaceId, branch, before, after)
          : before === null || (await removeHead(workspaceId, branch, before));
    return isMoved ? null : "fetch first";
  } catch (error) {
    if (error instanceof AppError && error.kind === "invalid_request") return error.message;
    throw error;
  }
}

function toReport(commands: readonly Command[], { unpack, refs }: Outcome): Buffer {
  const lines = commands.map(({ ref }) => {
    const why = unpack === null ? (refs.get(ref) ?? null) : "nothing was accepted";
    return pktLine(why === null ? `ok ${ref}\n` : `ng ${ref} ${why}\n`);
  });
  return Buffer.concat([pktLine(`unpack ${unpack ?? "ok"}\n`), ...lines, FLUSH]);
}
