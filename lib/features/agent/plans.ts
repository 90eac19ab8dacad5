import "server-only";
import { ObjectId } from "mongodb";
import { enterWorkspace } from "@/lib/features/accounts/identity";
import type { Caller, UserCaller } from "@/lib/platform/access/caller";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { followEvents } from "@/lib/platform/events/follow";
import { publish } from "@/lib/platform/events/publish";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { GRANT_MS, PLAN_WAIT_MS, STEPS_MAX } from "./limits";
import type { PlanDoc, PlannedDashboard, PlanStatus } from "./model";
import type { Grant, PlanAnswer, PlanDecisionBody, PlanEffect } from "./schema";

/** Events are only hints, so the plan is also polled at this interval, in ms. */
const LOOK_EVERY_MS = 15_000;
/** Maximum number of answers searched for a plan in the chat. */
const MESSAGES_LOOKED_AT = 50;

const STATUS_OF = {
  approve: "approved",
  request_changes: "changes_requested",
  cancel: "cancelled",
} as const satisfies Record<PlanDecisionBody["decision"], PlanStatus>;

export type TurnOf = { caller: Caller; chatId: ObjectId; turnId: ObjectId };
export type Proposal = {
  agentSessionId: string;
  /** Set when the plan is stored (`proposePlan`). */
  revision?: number | undefined;
  planMarkdown: string;
  grants: Grant[];
  targets?: string[] | undefined;
  effects?: PlanEffect[] | undefined;
  /** Input of `save_dashboard`; the plan shows it. */
  dashboard?: Record<string, unknown> | undefined;
};

/** Names that a plan must have: the changed resource, in its targets, or the change itself, in its effects. */
export type GrantTarget = { id: string } | { effect: PlanEffect };

/**
 * Asks the user to approve a plan. A plan that was returned for changes may be proposed again with its id.
 * @returns its revision: 1, and one more with each new proposal
 * @throws AppError `conflict` for another plan's id
 */
export async function proposePlan(
  { caller, chatId, turnId }: TurnOf,
  proposal: Omit<Proposal, "dashboard">,
  dashboard: PlannedDashboard | null = null,
): Promise<number> {
  const { workspaceId, user } = caller;
  const { agentSessionId, planMarkdown } = proposal;
  const open = {
    turnId,
    planMarkdown,
    grants: [...new Set(proposal.grants)],
    targets: proposal.targets?.map((id) => id.toLowerCase()) ?? null,
    effects: proposal.effects?.map(toEffectKey) ?? [],
    dashboard,
    status: "pending",
    granted: [],
    decidedMarkdown: null,
    decidedBy: null,
    decidedAt: null,
    expiresAt: null,
    endedAt: null,
    createdAt: new Date(),
  } as const satisfies Partial<PlanDoc>;
  const again = await collections
    .agentPlans()
    .findOneAndUpdate(
      { agentSessionId, workspaceId, chatId, status: "changes_requested" },
      { $set: open, $inc: { revision: 1 } },
      { returnDocument: "after" },
    );
  const revision = again?.revision ?? 1;
  if (!again) {
    const ids = { _id: new ObjectId(), workspaceId, agentSessionId, chatId, userId: user._id };
    const doc: PlanDoc = { ...ids, revision, ...open };
    try {
      await collections.agentPlans().insertOne(doc);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw new AppError("conflict", "This agentSessionId belongs to another plan. Omit it.");
    }
  }
  publishPlanEvent(workspaceId, user._id, { agentSessionId, chatId, status: "pending" });
  return revision;
}

/**
 * Waits for the user's decision, on whichever server it is made.
 * @param waitMs after it, the plan stays open, and a later decision is for the next turn
 * @returns null without a decision
 * @throws the signal's reason
 */
export async function waitForDecision(
  { caller: { workspaceId }, chatId }: TurnOf,
  agentSessionId: string,
  signal: AbortSignal,
  waitMs = PLAN_WAIT_MS,
): Promise<PlanDoc | null> {
  const filter = { agentSessionId, workspaceId, chatId, status: { $ne: "pending" as const } };
  const until = Date.now() + waitMs;
  let wake = () => {};
  const stopFollowing = await followEvents(workspaceId, (event) => {
    if (event.kind === "plan" && event.data.resourceId === agentSessionId) wake();
  });
  try {
    for (;;) {
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      signal.throwIfAborted();
      const decided = await collections.agentPlans().findOne(filter);
      if (decided) return decided;
      if (Date.now() >= until && (await letGo(filter))) return null;
      const timer = setTimeout(woken.resolve, Math.min(LOOK_EVERY_MS, Math.max(0, until - Date.now())));
      signal.addEventListener("abort", wake, { once: true });
      await woken.promise;
      signal.removeEventListener("abort", wake);
      clearTimeout(timer);
    }
  } finally {
    stopFollowing();
  }
}

/** Leaves later decisions to the next turn. @returns false if one was made at this very moment */
async function letGo({
  agentSessionId,
  workspaceId,
  chatId,
}: Pick<PlanDoc, "agentSessionId" | "workspaceId" | "chatId">) {
  const { matchedCount } = await collections
    .agentPlans()
    .updateOne({ agentSessionId, workspaceId, chatId, status: "pending" }, { $set: { turnId: null } });
  return matchedCount === 1;
}

/**
 * Settles a plan. Its grants start now and end with the turn, or after two hours.
 * @throws AppError `not_found` for an unknown plan and for another user's, `invalid_request` for a grant that was not
 *   requested, `conflict` if it is settled, and for another revision than the stated one
 */
export async function decidePlan(caller: UserCaller, body: PlanDecisionBody, now = new Date()): Promise<PlanAnswer> {
  const { agentSessionId, decision, planMarkdown } = body;
  const plan = await collections.agentPlans().findOne({ agentSessionId });
  if (!plan?.userId.equals(caller.user._id) || !(await isInside(caller, plan.workspaceId))) throw noSuchPlan();
  const { workspaceId, chatId } = plan;
  const asked = new Set(plan.grants);
  const unasked = (body.grants ?? []).filter((each) => !asked.has(each));
  if (unasked.length > 0) {
    throw new AppError("invalid_request", `The plan did not request ${unasked.join(", ")}.`, {
      details: [{ path: "grants", message: "Send only grants that the plan requests." }],
    });
  }
  // A proposal that comes in between has other grants than those that were read.
  const revision = body.revision ?? plan.revision;
  const status = STATUS_OF[decision];
  const granted = status === "approved" ? [...new Set(body.grants ?? plan.grants)] : [];
  const expiresAt = granted.length > 0 ? new Date(now.getTime() + GRANT_MS) : null;
  const decided = await collections.agentPlans().findOneAndUpdate(
    { _id: plan._id, workspaceId, status: "pending", revision: revision ?? { $exists: false } },
    {
      $set: {
        status,
        granted,
        expiresAt,
        decidedMarkdown: planMarkdown ?? null,
        decidedBy: caller.user._id,
        decidedAt: now,
      },
    },
    { returnDocument: "after" },
  );
  if (!decided) throw new AppError("conflict", "This plan was already decided or changed. Reload the chat.");
  // A turn that waits for it records it itself.
  if (decided.turnId === null) await noteDecision(decided);
  publishPlanEvent(workspaceId, caller.user._id, { agentSessionId, chatId, status });
  return { agentSessionId, status, grants: granted, expiresAt: expiresAt?.toISOString() ?? null };
}

/** Requires a grant. Every tool that writes calls it for each write. @throws AppError `not_allowed` */
export async function requireGrant(turn: TurnOf, grant: Grant, target: GrantTarget | null = null): Promise<void> {
  if (await hasGrant(turn, grant, new Date(), target)) return;
  throw new AppError(
    "not_allowed",
    `This requires the grant ${grant}. Describe the change with propose_plan and request it there${toNaming(target)}.`,
  );
}

function toNaming(target: GrantTarget | null): string {
  if (target === null) return "";
  return "id" in target
    ? ` and name ${target.id} in its targets`
    : ` and name ${JSON.stringify(target.effect)} in its effects`;
}

/** Returns a text that is equal for equal effects. */
function toEffectKey({ effect, kind, id, ...rest }: PlanEffect): string {
  return JSON.stringify([effect, kind, id?.toLowerCase() ?? null, ...Object.values(rest)]);
}

/**
 * Returns whether an approved plan of the turn gives the grant.
 * @param target must be among the plan's targets or effects; null for an effect that changes nothing existing, such as
 *   a new console
 */
export async function hasGrant(
  turn: TurnOf,
  grant: Grant,
  now = new Date(),
  target: GrantTarget | null = null,
): Promise<boolean> {
  const filter = toApproved(turn, grant, now, target);
  return (await collections.agentPlans().findOne(filter, { projection: { _id: 1 } })) !== null;
}

/** Returns the dashboards that the approved plans of a turn show; null stands for a plan that shows none. */
export async function listPlannedDashboards(
  turn: TurnOf,
  target: GrantTarget | null,
): Promise<(PlannedDashboard | null)[]> {
  const plans = await collections
    .agentPlans()
    .find(toApproved(turn, "dashboard-write", new Date(), target), { projection: { dashboard: 1 } })
    // Each step of a turn may propose one.
    .limit(STEPS_MAX)
    .toArray();
  return plans.map(({ dashboard }) => dashboard ?? null);
}

function toApproved({ caller, chatId, turnId }: TurnOf, grant: Grant, now: Date, target: GrantTarget | null) {
  const { workspaceId, user } = caller;
  return {
    workspaceId,
    chatId,
    turnId,
    userId: user._id,
    status: "approved" as const,
    granted: grant,
    ...(target && ("id" in target ? { targets: target.id.toLowerCase() } : { effects: toEffectKey(target.effect) })),
    expiresAt: { $gt: now },
    endedAt: null,
  };
}

/**
 * Assigns the grants that were decided on while no turn was waiting to this turn.
 * @returns those plans, to report them to the model
 */
export async function adoptDecisions({ caller, chatId, turnId }: TurnOf): Promise<PlanDoc[]> {
  const { workspaceId } = caller;
  const any = await collections
    .agentPlans()
    .findOne({ workspaceId, chatId, endedAt: null }, { projection: { _id: 1 } });
  // Few chats have a plan, and this read costs the store less than two writes without a match.
  if (!any) return [];
  const late = { workspaceId, chatId, turnId: null, status: { $ne: "pending" as const }, endedAt: null };
  const adopted: PlanDoc[] = [];
  // One by one: of two turns that start at once, only one gets each plan.
  for (;;) {
    const plan = await collections
      .agentPlans()
      .findOneAndUpdate(late, { $set: { turnId } }, { returnDocument: "after" });
    if (!plan) return adopted;
    adopted.push(plan);
  }
}

/** Ends the grants of a finished turn. Undecided plans wait for the next one. */
export async function endGrants(
  ofTurn: Pick<PlanDoc, "workspaceId" | "chatId"> & { turnId: ObjectId },
  now = new Date(),
): Promise<void> {
  await collections.agentPlans().updateMany({ ...ofTurn, status: "pending" }, { $set: { turnId: null } });
  await collections
    .agentPlans()
    .updateMany({ ...ofTurn, status: { $ne: "pending" }, endedAt: null }, { $set: { endedAt: now } });
}

/** Records the decision in the chat, even if no turn waits for it. */
async function noteDecision(plan: PlanDoc): Promise<void> {
  const { workspaceId, chatId, agentSessionId } = plan;
  const messages = collections
    .chatMessages()
    .find({ workspaceId, chatId, role: "assistant" })
    .sort({ seq: -1 })
    .limit(MESSAGES_LOOKED_AT);
  for await (const { _id, parts: before } of messages) {
    if (!before.includes(agentSessionId)) continue;
    const parts = (JSON.parse(before) as ToolPart[]).map((part) =>
      part.type === "tool-propose_plan" && part.output?.agentSessionId === agentSessionId
        ? { ...part, output: { ...part.output, ...outcomeOf(plan) } }
        : part,
    );
    await collections
      .chatMessages()
      .updateOne({ _id, workspaceId, parts: before }, { $set: { parts: JSON.stringify(parts) } });
    return;
  }
}

type ToolPart = { type: string; output?: { agentSessionId?: string } };

/** Returns the result of a plan for its tool and for the chat. */
export function outcomeOf(plan: PlanDoc | null) {
  return {
    status: plan?.status ?? ("pending" as const),
    grants: plan?.granted ?? [],
    expiresAt: plan?.expiresAt?.toISOString() ?? null,
    planMarkdown: plan?.decidedMarkdown ?? null,
    decidedAt: plan?.decidedAt?.toISOString() ?? null,
  };
}

async function isInside(caller: UserCaller, workspaceId: ObjectId): Promise<boolean> {
  try {
    await enterWorkspace(caller, workspaceId);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === "forbidden") return false;
    throw error;
  }
}

function noSuchPlan(): AppError {
  return new AppError("not_found", "Plan not found.");
}

function publishPlanEvent(
  workspaceId: ObjectId,
  onlyFor: ObjectId,
  { agentSessionId, chatId, status }: { agentSessionId: string; chatId: ObjectId; status: PlanStatus },
): void {
  const data = { chatId: chatId.toHexString(), status };
  publish({ workspaceId, kind: "plan", resourceType: "plan", resourceId: agentSessionId, onlyFor, data });
}
