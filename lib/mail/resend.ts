import "server-only";
import { env } from "@/lib/env";
import { safeFetch } from "@/lib/net/safe-fetch";

/** Accepting a mail takes the service well under a second; a hanging one must not hold the caller for long. */
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Hands a mail to Resend's API, through the egress door.
 * @throws Error naming the status that the service answered; AppError when it could not be reached
 */
export async function sendByResend(
  apiKey: string,
  mail: { to: string[]; subject: string; html: string; text: string },
): Promise<void> {
  const { RESEND_BASE_URL, MAIL_FROM } = env();
  const { status } = await safeFetch(`${RESEND_BASE_URL}/emails`, {
    purpose: "platform",
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ from: MAIL_FROM, ...mail }),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: ANSWER_BYTES_MAX,
  });
  if (status < 200 || status > 299) throw new Error(`The mail service answered ${status}.`);
}
