import "server-only";
import { randomUUID } from "node:crypto";
import type { ObjectId } from "mongodb";
import { hashToken, newToken } from "@/lib/features/accounts/tokens";
import type { Caller } from "@/lib/platform/access/caller";
import { isAtLeast } from "@/lib/platform/access/roles";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { open, seal } from "@/lib/platform/secrets/seal";
import { contextOf } from "@/lib/platform/secrets/sealed-fields";
import { newSigningSecret, plainSignature } from "@/lib/platform/secrets/signing-secret";
import { collections } from "./collections";
import { publishFlowEvent } from "./events";
import { receiveEvent, webhookBurst } from "./inbound";
import type { FlowDoc, FlowWebhookDoc } from "./model";
import { getFlowDocOrThrow } from "./run-status";
import type { InboundAnswer, ProvisionBody, Provisioned, WebhookStats } from "./schema";
import { HOUR_MS, hourOf } from "./webhook-store";

/** Header of the plain signature. */
export const SIGNATURE_HEADER = "X-Service-Signature";
const HOURS_SHOWN = 24;
/** Type of test events, if the webhook accepts all types. */
const TEST_EVENT_TYPE = "millrace.test";
const TEST_AGENT = "Millrace test";
/** Characters of a token that members see: enough to distinguish two. */
const TOKEN_CHARS_SHOWN = 4;

/**
 * Opens an address for a webhook flow, or replaces it and its secret: the old ones stop working immediately.
 * @throws AppError `not_found`; `invalid_request` for a flow of another type
 */
export async function provisionWebhook(
  caller: Caller,
  flowId: ObjectId,
  { events, verifySignature }: ProvisionBody,
  now = new Date(),
): Promise<Provisioned> {
  await getWebhookOrThrow(caller, flowId);
  const { workspaceId } = caller;
  const place = { _id: flowId, workspaceId };
  const [token, secret] = [newToken(), newSigningSecret()];
  await collections.flowWebhooks().updateOne(
    place,
    {
      $set: {
        tokenHash: hashToken(token),
        token: seal(token, contextOf(place, "token")),
        secret: seal(secret, contextOf(place, "secret")),
        verifySignature,
        events: events ?? null,
        provisionedAt: now,
      },
      $setOnInsert: {
        tokens: webhookBurst(),
        tokensAt: now,
        isOpen: true,
        accepted: 0,
        rejected: 0,
        duplicates: 0,
        processed: 0,
        failed: 0,
        lastReceivedAt: null,
        pendingBytes: 0,
        failures: 0,
        retryAt: null,
      },
    },
    { upsert: true },
  );
  publishFlowEvent(place);
  return { url: urlOf(token), secret, signatureHeader: SIGNATURE_HEADER, provisionedAt: now.toISOString() };
}

/**
 * Sends a signed event to a webhook by the same path as its sender. It is handled like any other.
 * @throws AppError `not_found`; `invalid_request` for a flow of another type, or one without an open address; any error
 *   of `receiveEvent`
 */
export async function sendTestEvent(caller: Caller, flowId: ObjectId): Promise<InboundAnswer> {
  await getWebhookOrThrow(caller, flowId);
  const hook = await collections.flowWebhooks().findOne({ _id: flowId, workspaceId: caller.workspaceId });
  if (!hook) throw new AppError("invalid_request", "This flow has no endpoint URL. Create one first.");
  const type = hook.events?.[0] ?? TEST_EVENT_TYPE;
  const body = JSON.stringify({ id: `test_${randomUUID()}`, type, test: true, sentAt: new Date().toISOString() });
  const secret = open(hook.secret, contextOf(hook, "secret"));
  const token = open(hook.token, contextOf(hook, "token"));
  const headers = {
    "content-type": "application/json",
    [SIGNATURE_HEADER]: plainSignature(secret, Buffer.from(body)),
    "user-agent": TEST_AGENT,
  };
  return receiveEvent(token, new Request(urlOf(token), { method: "POST", headers, body }));
}

/** @throws AppError `not_found`; `invalid_request` for a flow of another type */
export async function webhookStats(caller: Caller, flowId: ObjectId, now = new Date()): Promise<WebhookStats> {
  await getWebhookOrThrow(caller, flowId);
  const { workspaceId } = caller;
  const first = new Date(hourOf(now).getTime() - (HOURS_SHOWN - 1) * HOUR_MS);
  const [hook, pending, hours] = await Promise.all([
    collections.flowWebhooks().findOne({ _id: flowId, workspaceId }),
    collections.flowEvents().countDocuments({ workspaceId, flowId, isPending: true }),
    collections
      .flowHours()
      .find({ workspaceId, flowId, hour: { $gte: first } })
      .toArray(),
  ]);
  const counted = new Map(hours.map(({ hour, count }) => [hour.getTime(), count]));
  const { accepted = 0, rejected = 0, duplicates = 0, processed = 0, failed = 0 } = hook ?? {};
  return {
    url: hook && shownUrl(hook, caller),
    received: accepted + rejected + duplicates,
    accepted,
    rejected,
    duplicates,
    pending,
    processed,
    failed,
    lastReceivedAt: hook?.lastReceivedAt?.toISOString() ?? null,
    last24h: Array.from({ length: HOURS_SHOWN }, (_, index) => {
      const hour = new Date(first.getTime() + index * HOUR_MS);
      return { hour: hour.toISOString(), count: counted.get(hour.getTime()) ?? 0 };
    }),
  };
}

/**
 * Hides most of the token from those who may not provision: with the address of a webhook that accepts unsigned events,
 * anyone could send some.
 */
function shownUrl(hook: FlowWebhookDoc, { role }: Caller): string {
  const token = open(hook.token, contextOf(hook, "token"));
  return urlOf(isAtLeast(role, "admin") ? token : `${token.slice(0, TOKEN_CHARS_SHOWN)}...`);
}

function urlOf(token: string): string {
  return `${env().publicUrl}/api/webhooks/${token}`;
}

/** @throws AppError `not_found`; `invalid_request` for a flow of another type */
export async function getWebhookOrThrow(caller: Caller, flowId: ObjectId): Promise<FlowDoc> {
  const doc = await getFlowDocOrThrow(caller, flowId);
  if (doc.type !== "webhook") throw new AppError("invalid_request", "This is not a webhook flow.");
  return doc;
}
