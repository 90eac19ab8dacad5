import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { type Filter, ObjectId } from "mongodb";
import { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import { type EgressPolicy, systemPolicy } from "@/lib/platform/net/policy";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { isShuttingDown } from "@/lib/platform/process/shutdown";
import { type AttemptResult, type Claimed, claimSome, OPEN, sendClaimed, settleUnclaimed } from "./attempts";
import { pauseAfter } from "./backoff";
import { collections } from "./collections";
import { type DeliveryCall, moreCall, type Retry, readCall, retryCalls } from "./enqueue";
import { SENDS_PER_TARGET } from "./limits";
import type { DeliveryDoc, Sender } from "./model";
import { takePace } from "./pace";
import { sendersOf } from "./senders";

/** Time after which a call stops starting sends, in ms, so that other calls for its host can run. */
const CALL_MS = 20_000;
/** Interval in which sends that end are replaced together, in ms: fewer commands cost less. */
const GATHER_MS = 80;
const ELSEWHERE = "Another server is sending it.";

export type CallResult = Exclude<AttemptResult, { state: "busy" }>;
export type CallOptions = {
  /** Policy of the egress proxy; tests pass their own. */
  policy?: EgressPolicy;
  /** Time after which the call stops starting sends, in ms. */
  callMs?: number;
};

/**
 * Sends each requested delivery once, then the other deliveries for the same host that wait for their first send: a
 * backlog costs the runner one call for many. Sends as many concurrently as the limit for the host allows, so there
 * must be only one call for each host. Skips deliveries with a final status, so a call that is repeated for one
 * delivery does not repeat the others.
 * @returns `retry` when a requested delivery has to be sent again, after the longest pause that one of them needs. The
 *   others that failed are scheduled separately by then, and so are those that were not reached.
 */
export async function deliver(call: DeliveryCall, options: CallOptions = {}): Promise<CallResult> {
  const { policy = systemPolicy(), callMs = CALL_MS } = options;
  const { workspaceId, target, deliveryIds } = await readCall(call);
  // All go to one host, so the connections are reused.
  const line = new KeepAliveClient("http", policy);
  const asked = new Set(deliveryIds.map((id) => id.toHexString()));
  const left = new Set(asked);
  const retries: Retry[] = [];
  let all: CallResult = { state: "final", status: "sent" };
  const until = performance.now() + callMs;
  const running = new Set<Promise<void>>();
  let fault: { error: unknown } | null = null;

  const take = async (room: number): Promise<Claimed[]> => {
    if (left.size > 0) {
      const claimed = await claimSome(workspaceId, { _id: { $in: toIds(left) } }, room);
      for (const { delivery } of claimed) left.delete(delivery._id.toHexString());
      if (claimed.length > 0) return claimed;
      for (const id of toIds(left)) note(await settleUnclaimed(workspaceId, id));
      left.clear();
    }
    return claimSome(workspaceId, firstOf(target), room);
  };
  const takePaced = async (room: number) => {
    // Before the claim, since its lease starts with it.
    const { gapMs, giveBack } = await takePace(room);
    const claimed = await take(room);
    giveBack(room - claimed.length);
    return { claimed, gapMs };
  };
  const note = (one: AttemptResult) => {
    if (one.state === "final") {
      if (all.state === "final") all = one;
      return;
    }
    const afterMs = Math.max(one.afterMs ?? 0, all.state === "retry" ? (all.afterMs ?? 0) : 0);
    all = { state: "retry", error: one.state === "retry" ? one.error : ELSEWHERE, afterMs: afterMs || null };
  };
  const sendOne = async (claimed: Claimed, rules: ReadonlyMap<string, Sender>) => {
    const { delivery } = claimed;
    const rule = rules.get(delivery.ruleId.toHexString()) ?? null;
    const result = await sendClaimed(claimed, { rule, line });
    if (asked.has(delivery._id.toHexString())) note(result);
    else if (result.state === "retry") {
      retries.push({ delivery, afterMs: result.afterMs ?? pauseAfter(delivery.roundAttempts) });
    }
  };
  const goesOn = () => performance.now() < until && !isShuttingDown() && fault === null;

  let isEmpty = false;
  while (!isEmpty && goesOn()) {
    const room = SENDS_PER_TARGET - running.size;
    const { claimed, gapMs } = room > 0 ? await takePaced(room) : { claimed: [], gapMs: 0 };
    isEmpty = room > 0 && claimed.length === 0;
    const rules = await sendersOf(
      workspaceId,
      claimed.map(({ delivery }) => delivery),
    );
    for (const [i, each] of claimed.entries()) {
      const one = sleep(i * gapMs)
        .then(() => sendOne(each, rules))
        .catch((error: unknown) => {
          fault = { error };
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    if (isEmpty || running.size === 0) continue;
    await Promise.race(running);
    if (running.size > 0) await Promise.race([Promise.all(running), sleep(GATHER_MS)]);
  }
  await Promise.all(running);
  await line.close();

  const more = isEmpty ? null : await findMore(workspaceId, target, left);
  const calls = [...retryCalls(retries), ...(more ? [moreCall(more, left)] : [])];
  if (calls.length > 0) await sendJobEvents(calls);
  // The store was unavailable, usually: deliveries without a recorded result are sent again when their lease has
  // lapsed.
  if (fault !== null) throw (fault as { error: unknown }).error;
  return all;
}

/** Matches the deliveries that wait for their first send to a host in this round: none is in flight or in a pause. */
function firstOf(target: string): Filter<DeliveryDoc> {
  return { target, status: "queued", roundAttempts: 0 };
}

/** Finds a delivery for the next call when a call ends early: requested ones come first. */
async function findMore(workspaceId: ObjectId, target: string, left: ReadonlySet<string>): Promise<DeliveryDoc | null> {
  const deliveries = collections.deliveries();
  const asked = { _id: { $in: toIds(left) }, workspaceId, status: { $in: OPEN } };
  return (
    (left.size > 0 ? await deliveries.findOne(asked) : null) ??
    (await deliveries.findOne({ ...firstOf(target), workspaceId }))
  );
}

function toIds(ids: Iterable<string>): ObjectId[] {
  return [...ids].map((id) => new ObjectId(id));
}
