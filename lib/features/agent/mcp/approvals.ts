import "server-only";
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ObjectId } from "mongodb";
import { z } from "zod";
import type { ByKey, Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { deriveKey } from "@/lib/platform/secrets/bootstrap";
import { collections } from "../collections";
import { MCP_APPROVAL_MS } from "../limits";
import type { Tool } from "../tools/tool";
import { type Question, toQuestion } from "./question";
import { findTargets, warningOf } from "./targets";

/*
 * Approval of writes by the person at a client that can ask them (elicitation). The answer is another request, which
 * may reach another server, so it passes through the store.
 */

/** Interval of looking for an answer, in ms: people take seconds. */
const LOOK_EVERY_MS = 500;
/** Maximum number of open questions of a person: more than one client shows. */
const OPEN_MAX = 10;
const NONCE_BYTES = 16;
/** Maximum length of a call's id that is stored: longer than any client's. */
const CALL_ID_CHARS_MAX = 200;
/** A question that may still be answered. The store's clock decides: those of servers differ. */
const IS_OPEN = { $expr: { $gt: ["$expiresAt", "$$NOW"] } };

const initialize = z.object({
  method: z.literal("initialize"),
  params: z.object({ capabilities: z.object({ elicitation: z.record(z.string(), z.unknown()) }) }),
});

/** Returns whether a message opens a session of a client that can show a form to its user. */
export function canAsk(message: unknown): boolean {
  const { data } = initialize.safeParse(message);
  if (!data) return false;
  const { elicitation } = data.params.capabilities;
  // An empty capability means forms; a client that only opens addresses names that.
  return "form" in elicitation || !("url" in elicitation);
}

/** Returns the id of a session in which the client asks its user. It is signed for the key or the app, not stored. */
export function newSessionId(via: ByKey): string {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  return `${nonce}.${sign(nonce, via)}`;
}

/** Returns whether this key or app received the session's id. */
export function isOwnSession(via: ByKey, sessionId: string): boolean {
  const [nonce = ""] = sessionId.split(".", 1);
  const [given, expected] = [Buffer.from(sessionId), Buffer.from(`${nonce}.${sign(nonce, via)}`)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function sign(nonce: string, { keyId, appId }: ByKey): string {
  // An app's tokens change within a session.
  const owner = (appId ?? keyId).toHexString();
  return createHmac("sha256", deriveKey("mcp sessions")).update(`${nonce}.${owner}`).digest("base64url");
}

/** Sends a message on the stream of the call that it belongs to. */
export type SendMessage = (message: { jsonrpc: "2.0"; id: string; method: string; params: Question }) => Promise<void>;

/**
 * Asks the person to approve one call, and waits. The approval is for this call with these arguments.
 * @throws AppError `not_allowed` without an approval, `not_found` for an item that the caller does not see,
 *   `too_large` as `toQuestion`; the signal's reason
 */
export async function askApproval(
  caller: Caller,
  sessionId: string,
  call: { id: string | number; tool: Pick<Tool, "name" | "writes">; input: object },
  send: SendMessage,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, user } = caller;
  const { tool, input } = call;
  const targets = await findTargets(caller, tool.name, input);
  const params = toQuestion({ tool, input, targets, warning: warningOf(tool.name, input) });
  const approvals = collections.mcpApprovals();
  const whose = { workspaceId, userId: user._id };
  if ((await approvals.countDocuments({ ...whose, ...IS_OPEN })) >= OPEN_MAX) {
    throw new AppError("not_allowed", `${OPEN_MAX} changes await approval. Decide on them first.`);
  }
  const [_id, requestId] = [new ObjectId(), randomUUID()];
  const given = { _id, ...whose, sessionId, callId: toCallId(call.id), requestId, isApproved: null };
  const expiry = { expiresAt: { $add: ["$$NOW", MCP_APPROVAL_MS] } };
  await approvals.updateOne(
    { _id, workspaceId },
    [{ $replaceWith: { $mergeObjects: [{ $literal: given }, expiry] } }],
    { upsert: true },
  );
  try {
    await send({ jsonrpc: "2.0", id: requestId, method: "elicitation/create", params });
    for (;;) {
      const question = await approvals.findOne({ _id, workspaceId, ...IS_OPEN });
      if (!question) {
        throw new AppError("not_allowed", "The change was not approved in time. Ask the person, then try again.");
      }
      if (question.isApproved) return;
      if (question.isApproved === false) throw new AppError("not_allowed", "The person declined this change.");
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
  } finally {
    // From here on, an answer finds no question.
    await approvals.deleteOne({ _id, workspaceId }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

const answer = z.object({
  id: z.string(),
  result: z.object({ action: z.string(), content: z.record(z.string(), z.unknown()).nullish() }).optional(),
  method: z.undefined().optional(),
});

/** Returns the answer to a question of this server; null for any other message. */
export function toAnswer(message: unknown): { requestId: string; isApproved: boolean } | null {
  const { data } = answer.safeParse(message);
  if (!data) return null;
  const { id, result } = data;
  // An error of the client is no approval.
  return { requestId: id, isApproved: result?.action === "accept" && result.content?.decision === "approve" };
}

/** Records an answer. It counts once, in time, and from the session and the person that were asked. */
export async function recordAnswer(
  { workspaceId, user }: Caller,
  sessionId: string,
  { requestId, isApproved }: { requestId: string; isApproved: boolean },
): Promise<void> {
  await collections
    .mcpApprovals()
    .updateOne(
      { requestId, workspaceId, userId: user._id, sessionId, isApproved: null, ...IS_OPEN },
      { $set: { isApproved } },
    );
}

const cancellation = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

/** Returns the id of the call that the client has given up; null for any other message. */
export function toCancelledCall(message: unknown): string | number | null {
  return cancellation.safeParse(message).data?.params.requestId ?? null;
}

/** Withdraws the question about a call. A call that has its approval already runs. */
export async function withdrawQuestion(
  { workspaceId, user }: Caller,
  sessionId: string,
  callId: string | number,
): Promise<void> {
  await collections.mcpApprovals().deleteMany({ workspaceId, userId: user._id, sessionId, callId: toCallId(callId) });
}

/** Ids are the client's own: the number 1 and the text "1" differ. */
function toCallId(id: string | number): string {
  return JSON.stringify(id).slice(0, CALL_ID_CHARS_MAX);
}
