import "server-only";
import { createHash } from "node:crypto";
import { isIP } from "node:net";
import nodemailer from "nodemailer";
import type SMTPTransport from "nodemailer/lib/smtp-transport";
import { env } from "@/lib/platform/env";
import { openSocket } from "@/lib/platform/net/connect";
import { isLoopback } from "@/lib/platform/net/exposure";
import type { OutgoingMail } from "./model";

/**
 * Timeout in ms. A server accepts a mail within a second or two; greylisting and slow spam checks take longer, and
 * callers retry.
 */
const TIMEOUT_MS = 10_000;
/** Ports of RFC 8314: implicit TLS, and submission with STARTTLS. */
const PORT_IMPLICIT_TLS = 465;
const PORT_SUBMISSION = 587;

/** A mail server as SMTP_URL describes it. */
type SmtpServer = {
  host: string;
  port: number;
  /** Whether TLS is used from the first byte (smtps). */
  isImplicitTls: boolean;
  /** Whether a connection without TLS is rejected. Otherwise STARTTLS is used if the server offers it. */
  requiresTls: boolean;
  /** Whether STARTTLS is never used, even if the server offers it. */
  ignoresTls: boolean;
  auth: { user: string; pass: string } | null;
};

/**
 * Sends a mail through the server of SMTP_URL, by a new connection through the egress proxy.
 * @param options `key` gives the mail a stable Message-ID, so that receivers recognise a repeated one; `timeoutMs`
 * limits the
 *   whole exchange
 * @returns the recipients that the server rejected while it accepted others
 * @throws Error with a message for the operator, without credentials
 */
export async function sendBySmtp(
  url: string,
  mail: OutgoingMail,
  { key, timeoutMs = TIMEOUT_MS }: { key?: string | undefined; timeoutMs?: number } = {},
): Promise<{ refused: string[] }> {
  const server = parseSmtpUrl(url);
  const from = env().MAIL_FROM;
  const transport = nodemailer.createTransport(toOptions(server));
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const work = transport.sendMail({
      from,
      to: mail.to,
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      ...(key !== undefined && { messageId: toMessageId(key, from) }),
      attachments: mail.files.map((file) => ({
        filename: file.filename,
        contentType: file.contentType,
        content: file.bytes,
        ...(file.contentId !== undefined && { cid: file.contentId }),
      })),
      // Paths and addresses in a mail's parts are never opened.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const { rejected } = await Promise.race([work, rejectOn(deadline)]);
    return { refused: (rejected ?? []).map((each) => (typeof each === "string" ? each : each.address)) };
  } catch (error) {
    throw new Error(deadline.aborted ? "The mail server timed out." : toWords(error, server));
  } finally {
    transport.close();
  }
}

/**
 * Parses SMTP_URL: `smtp://user:password@host:port` or `smtps://...`. A password is only sent over TLS, except to this
 * machine; `?tls=required` demands TLS without one, too. `?tls=off` never uses STARTTLS and sends everything in the
 * clear.
 */
export function parseSmtpUrl(text: string): SmtpServer {
  const url = new URL(text);
  const isImplicitTls = url.protocol === "smtps:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const auth = url.username ? { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } : null;
  const tls = url.searchParams.get("tls");
  return {
    host,
    port: url.port ? Number(url.port) : isImplicitTls ? PORT_IMPLICIT_TLS : PORT_SUBMISSION,
    isImplicitTls,
    requiresTls: tls === "required" || (tls !== "off" && auth !== null && !isLoopback(host)),
    ignoresTls: tls === "off" && !isImplicitTls,
    auth,
  };
}

function toOptions({ host, port, isImplicitTls, requiresTls, ignoresTls, auth }: SmtpServer): SMTPTransport.Options {
  return {
    host,
    port,
    secure: isImplicitTls,
    requireTLS: requiresTls && !isImplicitTls,
    ignoreTLS: ignoresTls,
    ...(auth && { auth }),
    tls: isIP(host) ? {} : { servername: host },
    // Limits of single phases; `timeoutMs` limits the whole exchange.
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    getSocket: (_options, callback) => {
      openSocket({ purpose: "platform", host, port, timeoutMs: TIMEOUT_MS }).then(
        (connection) => callback(null, { connection }),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), {}),
      );
    },
  };
}

function toMessageId(key: string, from: string): string {
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? "millrace.invalid";
  return `<${createHash("sha256").update(key).digest("hex").slice(0, 40)}@${domain}>`;
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function toWords(error: unknown, { isImplicitTls, requiresTls }: SmtpServer): string {
  const { code, responseCode, kind, message } = error as {
    code?: string;
    responseCode?: number;
    kind?: string;
    message?: string;
  };
  if (code === "EAUTH") return "The mail server rejected the user name or password.";
  if (code === "ETLS" || code === "ESOCKET") {
    const failed = "The TLS connection to the mail server failed.";
    if (isImplicitTls || requiresTls) return failed;
    return `${failed} On a trusted network, add ?tls=off to SMTP_URL to send without TLS.`;
  }
  if (responseCode !== undefined) return `The mail server returned ${responseCode}.`;
  // The egress proxy's message contains no secret.
  if (kind !== undefined && message !== undefined) return message;
  return "The mail server is unreachable.";
}
