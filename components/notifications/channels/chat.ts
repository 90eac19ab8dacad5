import { MessageSquare } from "lucide-react";
import type { ChannelView } from "./channel-view";
import { addressField, nameField } from "./fields";

export const chat: ChannelView<"chat"> = {
  type: "chat",
  label: "Chat",
  Icon: MessageSquare,
  fields: [
    addressField("chatWebhookUrl", "Incoming webhook URL", "http or https. Private addresses are blocked."),
    nameField("#finance-weekly"),
  ],
  toTexts: ({ displayLabel }) => ({ displayLabel: displayLabel ?? "" }),
  toName: ({ displayLabel }) => displayLabel,
  toHelp: () => "Incoming webhook set",
  toSaved: () => "set",
  isSigned: false,
  acceptedHelp: null,
  toAdvice: () => null,
};
