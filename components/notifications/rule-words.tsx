import { Mail, MessageSquare, Webhook } from "lucide-react";
import type { ChannelType, Rule } from "@/lib/features/notifications/browser/client";

export const CHANNEL_WORDS: Record<ChannelType, string> = { email: "Email", webhook: "Webhook", chat: "Chat" };
const ICONS = { email: Mail, webhook: Webhook, chat: MessageSquare } as const;

export function ChannelIcon({ type }: { type: ChannelType }) {
  const Icon = ICONS[type];
  return <Icon className="s t3" />;
}

/** Returns a short but unambiguous name for a rule's destination. */
export function toRuleName({ channel, channelType }: Pick<Rule, "channel" | "channelType">): string {
  if ("recipients" in channel) return channel.recipients.join(", ");
  if ("urlPreview" in channel) return channel.urlPreview.replace(/^https?:\/\//, "");
  return channel.displayLabel ?? CHANNEL_WORDS[channelType];
}

/** Returns the triggers of a rule: "Success", "Failure" or "Both". */
export function toTriggerWord(triggers: Rule["triggers"]): string {
  if (triggers.length > 1) return "Both";
  return triggers[0] === "success" ? "Success" : "Failure";
}

export function toRuleHelp({ channel }: Pick<Rule, "channel">): string {
  if ("recipients" in channel)
    return channel.recipients.length === 1 ? "1 recipient" : `${channel.recipients.length} recipients`;
  if ("urlPreview" in channel) return "Signed. One delivery per run.";
  return "Incoming webhook set";
}
