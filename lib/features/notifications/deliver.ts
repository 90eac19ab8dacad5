import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { type Filter, ObjectId } from "mongodb";
import { KeptFetch } from "@/lib/platform/net/kept-fetch";
import { type EgressPolicy, systemPolicy } from "@/lib/platform/net/policy";
import { sendJobEvents } from "@/lib/platform/process/job-events";
import { isShuttingDown } from "@/lib/platform/process/shutdown";
import { type AttemptResult, type Claimed, carryOut, claimSome, OPEN, settleUnclaimed } from "./attempts";
import { pauseAfter } from "./backoff";
import { collections } from "./collections";
import { SENDS_PER_TARGET } from "./limits";
import type { DeliveryDoc, Sender } from "./model";
import { takePace } from "./pace";
import { sendersOf } from "./senders";
import { type DeliveryCall, moreCall, type Retry, readCall, retryCalls } from "./wake";

/** A call begins no more sends after this, and lets others of its host have their turn. */
const CALL_MS = 20_000;
/** Sends that end so close to each other have the next ones taken together: the fewer commands, the less it costs. */
const GATHER_MS = 80;
const ELSEWHERE = "Another server is sending it.";

export type CallResult = Exclude<AttemptResult, { state: "busy" }>;
export type CallOptions = {
  /** Of the egress door; tests give one of their own. */
  policy?: EgressPolicy;
  /** When no more sends are begun. */
  callMs?: number;
};

/**
 * Sends what a call asks for, each once, and then whatever else waits for the same host for the first time: a backlog
 * costs the runner one call for many. As many are on their way at once as a host gets, so there must be one call a host.
 * What is over already is left out, so that a call which is repeated for one of them repeats none of the others.
 * @returns `retry` when one that it was asked for has to be sent again, not before the longest pause that one has asked
 * for. The others that failed have a call of their own by then, and so has what it did not come to.
 */
export async function deliver(call: DeliveryCall, options: CallOptions = {}): Promise<CallResult> {
  const { policy = systemPolicy(), callMs = CALL_MS } = options;
  const { workspaceId, target, deliveryIds } = await readCall(call);
  // All go to one host, whose connections serve one after the other.
  const line = new KeptFetch("http", policy);
  const asked = new Set(deliveryIds.map((id) => id.toHexString()));
  const left = new Set(asked);
  const retries: Retry[] = [];
  let all: CallResult = { state: "final", status: "sent" };
  const until = performance.now() + callMs;
  const running = new Set<Promise<void>>();
  let fault: { error: unknown } | null = null;

  const take = async (room: number): Promise<Claimed> => {
    if (left.size > 0) {
      const claimed = await claimSome(workspaceId, { _id: { $in: toIds(left) } }, room);
      for (const { _id } of claimed.deliveries) left.delete(_id.toHexString());
      if (claimed.deliveries.length > 0) return claimed;
      for (const id of toIds(left)) note(await settleUnclaimed(workspaceId, id));
      left.clear();
    }
    return claimSome(workspaceId, firstOf(target), room);
  };
  const takePaced = async (room: number) => {
    // Before they are taken: a lease runs from then on.
    const { gapMs, giveBack } = await takePace(room);
    const claimed = await take(room);
    giveBack(room - claimed.deliveries.length);
    return { ...claimed, gapMs };
  };
  const note = (one: AttemptResult) => {
    if (one.state === "final") {
      if (all.state === "final") all = one;
      return;
    }
    const afterMs = Math.max(one.afterMs ?? 0, all.state === "retry" ? (all.afterMs ?? 0) : 0);
    all = { state: "retry", error: one.state === "retry" ? one.error : ELSEWHERE, afterMs: afterMs || null };
  };
  const sendOne = async (delivery: DeliveryDoc, rules: ReadonlyMap<string, Sender>, holder: ObjectId) => {
    const rule = rules.get(delivery.ruleId.toHexString()) ?? null;
    const result = await carryOut(delivery, { rule, holder, line });
    if (asked.has(delivery._id.toHexString())) note(result);
    else if (result.state === "retry") {
      retries.push({ delivery, afterMs: result.afterMs ?? pauseAfter(delivery.roundAttempts) });
    }
  };
  const goesOn = () => performance.now() < until && !isShuttingDown() && fault === null;

  let isEmpty = false;
  while (!isEmpty && goesOn()) {
    const room = SENDS_PER_TARGET - running.size;
    const taken = room > 0 ? await takePaced(room) : { deliveries: [], holder: new ObjectId(), gapMs: 0 };
    const { deliveries, holder, gapMs } = taken;
    isEmpty = room > 0 && deliveries.length === 0;
    const rules = await sendersOf(workspaceId, deliveries);
    for (const [i, delivery] of deliveries.entries()) {
      const one = sleep(i * gapMs)
        .then(() => sendOne(delivery, rules, holder))
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
  // The store was away, mostly: what was not recorded is asked for again when its lease is over.
  if (fault !== null) throw (fault as { error: unknown }).error;
  return all;
}

/** What waits for a host to be sent the first time in its round: nobody else has begun it, and no pause holds it back. */
function firstOf(target: string): Filter<DeliveryDoc> {
  return { target, status: "queued", roundAttempts: 0 };
}

/** Of what a call that ends early has not come to: one to begin with, those that it was asked for before all others. */
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
