import "server-only";
import type { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import type { Message, Outcome } from "./channels/channel";
import { channelOf, type OpenChannel } from "./channels/registry";

/** Sends one message by its channel, and returns its result and duration. */
export async function send(
  channel: OpenChannel,
  message: Message,
  line: KeepAliveClient,
): Promise<Outcome & { durationMs: number }> {
  const sender = await channelOf(channel.type).loadSender();
  const since = performance.now();
  const outcome = await sender.send(channel, message, line);
  return { ...outcome, durationMs: Math.round(performance.now() - since) };
}
