import "server-only";
import type { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import type { Message, Outcome } from "./channels/channel";
import { sendChat } from "./channels/chat/send";
import { sendEmail } from "./channels/email/send";
import type { OpenChannel } from "./channels/stored";
import { sendWebhook } from "./channels/webhook/send";

/** Sends one message by its channel, and returns its result and duration. */
export async function send(
  channel: OpenChannel,
  message: Message,
  line: KeepAliveClient,
): Promise<Outcome & { durationMs: number }> {
  const since = performance.now();
  const outcome = await by(channel, message, line);
  return { ...outcome, durationMs: Math.round(performance.now() - since) };
}

function by(channel: OpenChannel, message: Message, line: KeepAliveClient): Promise<Outcome> {
  if (channel.type === "email") return sendEmail(channel, message, line);
  if (channel.type === "chat") return sendChat(channel, message, line);
  return sendWebhook(channel, message, line);
}
