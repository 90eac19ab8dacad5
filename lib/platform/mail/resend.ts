import "server-only";
import { Resend } from "resend";
import { env } from "@/lib/platform/env";
import { safeFetch } from "@/lib/platform/net/safe-fetch";
import type { OutgoingMail } from "./model";

/**
 * Timeout of the service, in ms. It accepts a mail well under a second; a hanging one must not hold the caller for
 * long.
 */
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Sends a mail by Resend's package, whose requests go through the egress proxy.
 * @param key two mails with one key within a day are one, so that a mail can be sent again if the outcome is unknown
 * @throws Error naming the status of the answer; AppError if the service could not be reached
 */
export async function sendByResend(apiKey: string, { files, ...mail }: OutgoingMail, key?: string): Promise<void> {
  const { RESEND_BASE_URL, MAIL_FROM } = env();
  const resend = new GuardedResend(apiKey, { baseUrl: RESEND_BASE_URL });
  const attachments = files.map(({ bytes, ...file }) => ({ ...file, content: bytes.toString("base64") }));
  await resend.emails.send(
    { from: MAIL_FROM, ...mail, ...(attachments.length > 0 && { attachments }) },
    key === undefined ? {} : { idempotencyKey: key },
  );
}

type Request = { method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; headers?: HeadersInit; body?: string };

/** The package knows the service's paths and shapes; the egress proxy is the only way out (docs/develop/decisions/egress-proxy.md). */
class GuardedResend extends Resend {
  override async fetchRequest<T>(path: string, { method, headers, body }: Request = {}) {
    const { status, body: answer } = await safeFetch(`${this.baseUrl}${path}`, {
      purpose: "platform",
      method: method ?? "GET",
      headers: Object.fromEntries(new Headers(headers)),
      ...(body !== undefined && { body }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: ANSWER_BYTES_MAX,
    });
    if (status < 200 || status > 299) throw new Error(`The mail service returned ${status}.`);
    return { data: JSON.parse(answer.toString("utf8")) as NonNullable<T>, error: null, headers: {} };
  }
}
