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
import { receiveEvent, webhookBurst } from "./inbound";
import type { FlowDoc, FlowWebhookDoc } from "./model";
import type { InboundAnswer, ProvisionBody, Provisioned, WebhookStats } from "./schema";
import { getFlowDocOrThrow } from "./standing";
import { tellFlow } from "./tell";
import { HOUR_MS, hourOf } from "./webhook-store";

/** The plain signature's header, as interface and senders know it. */
export const SIGNATURE_HEADER = "X-Service-Signature";
const HOURS_SHOWN = 24;
/** Of the events that a test sends, where the webhook takes all. */
const TEST_EVENT_TYPE = "millrace.test";
const TEST_AGENT = "Millrace test";
/** Of a token, to members: enough to tell two apart. */
const TOKEN_CHARS_SHOWN = 4;

/**
 * Opens an address for a webhook flow, or gives it a new one with a new secret: the ones before end at once.
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
  tellFlow(place);
  return { url: urlOf(token), secret, signatureHeader: SIGNATURE_HEADER, provisionedAt: now.toISOString() };
}

/**
 * Sends a signed event to a webhook as its sender would, through the same door: what comes of it is what comes of others.
 * @throws AppError `not_found`; `invalid_request` for a flow of another type, and one whose address is not open; what
 *   `receiveEvent` throws
 */
export async function sendTestEvent(caller: Caller, flowId: ObjectId): Promise<InboundAnswer> {
  await getWebhookOrThrow(caller, flowId);
  const hook = await collections.flowWebhooks().findOne({ _id: flowId, workspaceId: caller.workspaceId });
  if (!hook) throw new AppError("invalid_request", "This webhook is not open yet. Open it, then send a test.");
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

/** With an address that takes what is not signed, whoever reads it could send: it is for those who may provision. */
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
  if (doc.type !== "webhook") throw new AppError("invalid_request", "Only a flow of the type webhook is sent to.");
  return doc;
}
