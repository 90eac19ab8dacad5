import { viewOf } from "@/components/notifications/channels/registry";
import type { ChannelType } from "@/lib/features/notifications/channels/registry";
import type { Rule } from "@/lib/features/notifications/schema";

export function ChannelIcon({ type }: { type: ChannelType }) {
  const { Icon } = viewOf(type);
  return <Icon className="s t3" aria-hidden="true" />;
}

export function toChannelWord(type: ChannelType): string {
  return viewOf(type).label;
}

/** Returns a short but unambiguous name for the destination of a rule or a snapshot. */
export function toRuleName({ channel, channelType }: Pick<Rule, "channel" | "channelType">): string {
  const { toName, label } = viewOf(channelType);
  return toName(channel) || label;
}

/** Returns the triggers of a rule: "Success", "Failure" or "Both". */
export function toTriggerWord(triggers: Rule["triggers"]): string {
  if (triggers.length > 1) return "Both";
  return triggers[0] === "success" ? "Success" : "Failure";
}

export function toRuleHelp({ channel, channelType }: Pick<Rule, "channel" | "channelType">): string {
  return viewOf(channelType).toHelp(channel);
}
