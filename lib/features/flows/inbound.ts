import "server-only";
import { createHash } from "node:crypto";
import { type ClientSession, ObjectId } from "mongodb";
import { ExactNumber } from "@/lib/base/values/exact-json";
import { hashToken } from "@/lib/features/accounts/tokens";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { inTransaction } from "@/lib/platform/db/transaction";
import { env } from "@/lib/platform/env";
import { BODY_LIMITS, readRawBody } from "@/lib/platform/http/body";
import { AppError } from "@/lib/platform/http/errors";
import { coalesce, withKeyedLock } from "@/lib/platform/http/keyed-lock";
import { remoteAddress } from "@/lib/platform/http/remote-address";
import { log } from "@/lib/platform/log";
import { open } from "@/lib/platform/secrets/seal";
import { contextOf } from "@/lib/platform/secrets/sealed-fields";
import { isSameSignature, plainSignature, standardSignature } from "@/lib/platform/secrets/signing-secret";
import { collections } from "./collections";
import { type EventBody, readEventBody } from "./event-body";
import { publishFlowEventSoon } from "./events";
import type { FlowWebhookDoc } from "./model";
import { EVENT_ID_CHARS_MAX, type InboundAnswer } from "./schema";
import { queuePendingOf } from "./webhook-batch";
import { countHour, cutText, keepRefusal, type Refusal } from "./webhook-store";

/** Events per minute for each flow, and the burst: ten minutes' worth (docs/develop/api.md, Settings). */
const PER_MINUTE = 60;
const BURST = 600;
/** Maximum difference between the time of a signature and ours, either way, in seconds (Standard Webhooks). */
const TOLERANCE_SECONDS = 5 * 60;
/** Maximum size of the events that wait while the destination is unavailable. Beyond it the sender has to retry. */
const PENDING_BYTES_MAX = 256 * 1024 * 1024;
const FULL_RETRY_SECONDS = 60;
/** Size of an event without its body. */
export const EVENT_BYTES = 512;
/** Length to which texts of the sender are cut: enough to recognise them. */
const TYPE_CHARS_MAX = 100;
const AGENT_CHARS_MAX = 120;
const SNIPPET_CHARS_MAX = 500;

export function webhookBurst(): number {
  return Math.max(1, Math.round(BURST * env().RATE_LIMIT_SCALE));
}

/**
 * Accepts an event of a webhook flow: once this returns without `duplicate` or `ignored`, it is stored and will be
 * written.
 * @throws AppError `not_found` for an unknown address; `rate_limited`, `too_large`, `unsupported_media_type`,
 *   `unauthenticated` for a signature that is missing, wrong or old, `invalid_request` for invalid JSON, `unavailable`
 *   when the queue is full
 */
export async function receiveEvent(token: string, request: Request, now = new Date()): Promise<InboundAnswer> {
  const hook = await takeToken(token);
  if (!hook) throw new AppError("not_found", "Not found. See /api/openapi.json.");
  if (!hook.isOpen) {
    throw new AppError("rate_limited", `Rate limit exceeded: ${PER_MINUTE} events per minute.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(60 / (PER_MINUTE * env().RATE_LIMIT_SCALE))),
    });
  }
  let body: Buffer | null = null;
  let event: EventBody;
  try {
    body = await readRawBody(request, BODY_LIMITS.json);
    requireSignature(hook, request.headers, body, now);
    event = readEventBody(body, request.headers.get("content-type"));
  } catch (error) {
    // The sender retries a request that broke off or found the server full.
    if (error instanceof AppError && error.kind !== "unavailable") {
      await count(hook, { ...toRefusal(request, body), reason: error.message }, now);
    }
    throw error;
  }
  const { json, value } = event;
  const type = typeOf(value);
  const eventId = eventIdOf(request.headers, value);
  const facts = { ...(eventId !== null && { eventId }), ...(type !== null && { type }) };
  if (!isWanted(hook, value)) {
    const reason = "This event type is not accepted by the webhook.";
    await count(hook, { ...toRefusal(request, body), ...facts, reason }, now);
    return { ignored: true };
  }
  if (hook.pendingBytes > PENDING_BYTES_MAX) {
    throw new AppError("unavailable", "The event queue is full. Retry later.", {
      retryAfterSeconds: FULL_RETRY_SECONDS,
    });
  }
  if (!(await store(hook, facts, json, now))) {
    await count(hook, { status: "repeat", bytes: body.byteLength, ...facts }, now);
    return { duplicate: true };
  }
  publishFlowEventSoon(hook);
  // The event is stored: if anything fails from here on, the sweeper finds it.
  await coalesce(`webhook run:${hook._id.toHexString()}`, () => queuePendingOf(hook.workspaceId, hook._id)).catch(
    (error: unknown) =>
      log.warn(
        { err: error, flowId: hook._id.toHexString() },
        "failed to queue a run for a webhook event; the event is kept",
      ),
  );
  return { accepted: true };
}

/** Takes a token from the webhook of an address and returns the webhook; by the store's clock. */
function takeToken(token: string): Promise<FlowWebhookDoc | null> {
  const burst = webhookBurst();
  const perMs = (PER_MINUTE * env().RATE_LIMIT_SCALE) / 60_000;
  const gained = { $multiply: [{ $max: [0, { $subtract: ["$$NOW", "$tokensAt"] }] }, perMs] };
  return collections
    .flowWebhooks()
    .findOneAndUpdate(
      { tokenHash: hashToken(token) },
      [
        { $set: { tokens: { $min: [burst, { $add: ["$tokens", gained] }] }, tokensAt: "$$NOW" } },
        { $set: { isOpen: { $gte: ["$tokens", 1] } } },
        { $set: { tokens: { $cond: ["$isOpen", { $subtract: ["$tokens", 1] }, "$tokens"] } } },
      ],
      { returnDocument: "after" },
    );
}

/** @throws AppError `unauthenticated` */
function requireSignature(hook: FlowWebhookDoc, headers: Headers, body: Buffer, now: Date): void {
  const standard = standardHeaders(headers);
  const plain = headers.get("x-service-signature");
  if (standard === null && plain === null) {
    if (!hook.verifySignature) return;
    throw new AppError("unauthenticated", "Missing signature. Sign the event with the webhook's secret.");
  }
  const secret = open(hook.secret, contextOf(hook, "secret"));
  if (standard === null) {
    if (isSameSignature(plain?.trim().toLowerCase() ?? "", plainSignature(secret, body))) return;
    throw wrongSignature();
  }
  // A signed time limits the replay of an intercepted message.
  const { id, timestamp, signatures } = standard;
  const right = standardSignature(secret, { id, timestamp, body });
  const given = signatures.split(" ").flatMap((each) => (each.startsWith("v1,") ? [each.slice(3)] : []));
  // Compare all of them, so that the time does not show which is right.
  if (given.filter((each) => isSameSignature(each, right)).length === 0) throw wrongSignature();
  const distance = Math.abs(now.getTime() / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || distance > TOLERANCE_SECONDS) {
    throw new AppError("unauthenticated", "The signature timestamp is out of range. Check your clock and sign again.");
  }
}

type StandardHeaders = { id: string; timestamp: string; signatures: string };

/** Reads the headers of Standard Webhooks, or those of Svix. Returns null if neither set is present. */
function standardHeaders(headers: Headers): StandardHeaders | null {
  for (const prefix of ["webhook", "svix"]) {
    const signatures = headers.get(`${prefix}-signature`);
    if (signatures === null) continue;
    return { id: headers.get(`${prefix}-id`) ?? "", timestamp: headers.get(`${prefix}-timestamp`) ?? "", signatures };
  }
  return null;
}

function wrongSignature(): AppError {
  return new AppError("unauthenticated", "Invalid signature. Sign the exact request bytes with the webhook's secret.");
}

function isWanted({ events }: FlowWebhookDoc, value: unknown): boolean {
  if (events === null) return true;
  const name = nameOf(value);
  return typeof name === "string" && events.includes(name);
}

function nameOf(value: unknown): unknown {
  return field(value, "type") ?? field(value, "event");
}

/** Returns the sender's name for this type of event, for display; null if it gives none. */
function typeOf(value: unknown): string | null {
  const name = nameOf(value);
  return typeof name === "string" && name !== "" ? cutText(name, TYPE_CHARS_MAX) : null;
}

/**
 * Describes a rejected event: its sender and the beginning of its body.
 * @param body null if it could not be read
 */
function toRefusal({ headers }: Request, body: Buffer | null): Refusal {
  const from = remoteAddress(headers, env().TRUST_PROXY);
  const agent = headers.get("user-agent");
  return {
    status: "refused",
    bytes: body?.byteLength ?? 0,
    ...(from !== null && { from }),
    ...(agent !== null && { agent: cutText(agent, AGENT_CHARS_MAX) }),
    ...(body !== null && body.byteLength > 0 && { snippet: cutText(body.toString("utf8"), SNIPPET_CHARS_MAX) }),
  };
}

/** @returns null for an event without one, which is never a repeat */
function eventIdOf(headers: Headers, value: unknown): string | null {
  const inBody = field(value, "id");
  const isId = typeof inBody === "string" || typeof inBody === "number" || inBody instanceof ExactNumber;
  const id = headers.get("webhook-id") ?? headers.get("svix-id") ?? (isId ? String(inBody) : "");
  if (id === "") return null;
  // Lone surrogates and NUL cannot be stored unchanged, so two such ids could become one.
  const isKept = id.length <= EVENT_ID_CHARS_MAX && id.isWellFormed() && !id.includes("\0");
  if (isKept) return id;
  const digested = id.isWellFormed() ? id : JSON.stringify(id);
  return `sha256:${createHash("sha256").update(digested).digest("hex")}`;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return undefined;
  return (value as Record<string, unknown>)[name];
}

/**
 * Runs one transaction at a time for each webhook. All events of a webhook update one document: a hundred concurrent
 * transactions would conflict for ten seconds.
 */
function writing(hook: FlowWebhookDoc, work: (session: ClientSession) => Promise<void>): Promise<void> {
  return withKeyedLock(`webhook:${hook._id.toHexString()}`, () => inTransaction(work));
}

/** @returns false for an event that was accepted before */
async function store(
  hook: FlowWebhookDoc,
  facts: { eventId?: string; type?: string },
  payload: string,
  now: Date,
): Promise<boolean> {
  const { _id, workspaceId } = hook;
  const { eventId } = facts;
  const bytes = Buffer.byteLength(payload) + EVENT_BYTES;
  const doc = {
    workspaceId,
    flowId: _id,
    ...facts,
    receivedAt: now,
    payload,
    bytes,
    isPending: true,
  } as const;
  try {
    await writing(hook, async (session) => {
      await collections.flowEvents().insertOne({ _id: new ObjectId(), ...doc }, { session });
      const { matchedCount } = await collections
        .flowWebhooks()
        .updateOne(
          { _id, workspaceId },
          { $inc: { accepted: 1, pendingBytes: bytes }, $set: { lastReceivedAt: now } },
          { session },
        );
      // The flow was deleted concurrently: the event would never be written.
      if (matchedCount === 0) throw new AppError("not_found", "This webhook was deleted.");
      await countHour(hook, now, { session });
    });
    return true;
  } catch (error) {
    if (eventId === undefined || !isDuplicateKey(error)) throw error;
    if ((await collections.flowEvents().countDocuments({ workspaceId, flowId: _id, eventId }, { limit: 1 })) === 0)
      throw error;
    return false;
  }
}

/** Counts a rejected event, and keeps the newest ones. */
async function count(hook: FlowWebhookDoc, refusal: Refusal, now: Date): Promise<void> {
  const { _id, workspaceId } = hook;
  await writing(hook, async (session) => {
    const change = {
      $inc: { [refusal.status === "repeat" ? "duplicates" : "rejected"]: 1 },
      $set: { lastReceivedAt: now },
    };
    const counted = await collections
      .flowWebhooks()
      .findOneAndUpdate({ _id, workspaceId }, change, { session, returnDocument: "after" });
    // The flow was deleted concurrently: there is nothing to update.
    if (counted === null) return;
    await keepRefusal(hook, refusal, counted.rejected + counted.duplicates, now, session);
    await countHour(hook, now, { session });
  });
  publishFlowEventSoon(hook);
}
