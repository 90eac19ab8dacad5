import "server-only";
import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import type { Caller } from "@/lib/platform/access/caller";
import { consume } from "@/lib/platform/access/rate-limit";
import { AppError } from "@/lib/platform/http/errors";
import { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import { type EgressPolicy, systemPolicy } from "@/lib/platform/net/policy";
import type { OpenChannel } from "./channels/registry";
import { judgeAddresses, nextChannel, openChannel } from "./channels/stored";
import { toPayload } from "./payload";
import type { RuledType } from "./payload-schema";
import { findResourceOwner, getResourceOrThrow } from "./resources";
import type { TestAnswer, TestBody } from "./schema";
import { send } from "./send";
import { getRuleDocOrThrow } from "./service";

/** Example facts of a test message. */
const EXAMPLE = { durationMs: 1_234, rowCount: 42, errorMessage: "This is a test. Nothing has failed." } as const;

type Target = { channel: OpenChannel; resourceType: RuledType; resourceId: ObjectId };

/**
 * Sends one message immediately, by a saved rule or by an unsaved channel, and leaves no record
 * (docs/develop/notifications.md). The receiver's response is not returned (T82).
 * @throws AppError `not_found`, `invalid_request`, `address_refused`, `rate_limited`
 */
export async function sendTest(
  caller: Caller,
  body: TestBody,
  policy: EgressPolicy = systemPolicy(),
): Promise<TestAnswer> {
  const { workspaceId } = caller;
  const { channel, resourceType, resourceId } = await targetOf(caller, body);
  const [{ name }, slug] = await Promise.all([
    getResourceOrThrow(caller, resourceType, resourceId),
    findWorkspaceSlug(workspaceId),
  ]);
  if (slug === null) throw new AppError("not_found", "This workspace was deleted.");
  await consume("notificationTests", workspaceId.toHexString());
  const payload = toPayload(
    {
      ...EXAMPLE,
      trigger: body.trigger,
      resourceType,
      resourceId: resourceId.toHexString(),
      resourceName: name,
      // A run that does not exist: its page says so.
      runId: new ObjectId().toHexString(),
      completedAt: new Date().toISOString(),
      triggerType: "manual",
      workspaceId: workspaceId.toHexString(),
    },
    slug,
  );
  const message = {
    workspaceId,
    payload,
    body: JSON.stringify(payload),
    webhookId: `msg_test_${randomBytes(16).toString("hex")}`,
    isTest: true,
    deliveryId: null,
    findFiles: () => Promise.resolve(null),
    findOwner: () => findResourceOwner(workspaceId, resourceType, resourceId),
  };
  const line = new KeepAliveClient("http", policy);
  const { error, httpStatus } = await send(channel, message, line).finally(() => line.close());
  return {
    delivered: error === null,
    ...(error !== null && { error }),
    ...(httpStatus !== null && { httpStatus }),
  };
}

async function targetOf(caller: Caller, body: TestBody): Promise<Target> {
  const { ruleId, resourceType, resourceId, trigger: _, ...request } = body;
  if (ruleId !== undefined) {
    const rule = await getRuleDocOrThrow(caller, new ObjectId(ruleId));
    return { channel: openChannel(rule, rule.channel), resourceType: rule.resourceType, resourceId: rule.resourceId };
  }
  if (!resourceType || !resourceId) throw new Error("The body was not judged.");
  await judgeAddresses(request);
  // Nothing is stored. An unsaved webhook has no secret yet, so a random one signs it.
  const place = { _id: new ObjectId(), workspaceId: caller.workspaceId };
  const { channel } = nextChannel(place, null, request);
  return { channel: openChannel(place, channel), resourceType, resourceId: new ObjectId(resourceId) };
}
