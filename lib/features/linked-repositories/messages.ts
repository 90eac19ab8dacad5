import "server-only";
import { createHmac } from "node:crypto";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { env } from "@/lib/platform/env";
import { BODY_LIMITS, parseJsonBytes, readRawBody } from "@/lib/platform/http/body";
import { AppError } from "@/lib/platform/http/errors";
import { isSameSignature } from "@/lib/platform/secrets/signing-secret";
import { collections } from "./collections";
import { wakeLinksOf } from "./enqueue";

/** The host resends a message for three days. */
const REMEMBERED_MS = 3 * 24 * 60 * 60 * 1000;
const HEARD = new Set(["push", "repository", "installation", "installation_repositories", "pull_request"]);

/**
 * Receives a message of the host. It is only a hint to sync: the content is read from the host itself, so a replayed
 * message does no harm. The same body counts once.
 * @throws AppError not_found if no secret is set; unauthenticated for a missing or wrong signature
 */
export async function receiveMessage(request: Request, now = new Date()): Promise<{ taken: boolean }> {
  const secret = env().GITHUB_WEBHOOK_SECRET;
  if (secret === undefined) throw new AppError("not_found", "Repository host webhooks are not configured.");
  const body = await readRawBody(request, BODY_LIMITS.chat);
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  if (!isSameSignature(request.headers.get("x-hub-signature-256") ?? "", signature)) {
    throw new AppError("unauthenticated", "Missing or invalid signature.");
  }
  const event = request.headers.get("x-github-event") ?? "";
  if (!HEARD.has(event)) return { taken: false };
  const message = parseJsonBytes(body);
  const id = `${event}:${signature.slice("sha256=".length)}`;
  try {
    await collections.repoHostMessages().insertOne({ _id: id, expiresAt: new Date(now.getTime() + REMEMBERED_MS) });
  } catch (error) {
    if (isDuplicateKey(error)) return { taken: false };
    throw error;
  }
  const repositoryNumber = numberIn(message, "repository");
  const installationId = numberIn(message, "installation");
  if (repositoryNumber !== null) await wakeLinksOf({ repositoryNumber }, id);
  else if (installationId !== null) await wakeLinksOf({ installationId }, id);
  return { taken: true };
}

/** Returns the id of the object that a message is about. */
function numberIn(message: unknown, name: string): number | null {
  const part = (message as Record<string, unknown> | null)?.[name];
  const id = typeof part === "object" && part !== null ? (part as Record<string, unknown>).id : null;
  return Number.isSafeInteger(id) ? (id as number) : null;
}
