import { Webhook } from "lucide-react";
import type { ChannelView } from "./channel-view";
import { addressField } from "./fields";

export const webhook: ChannelView<"webhook"> = {
  type: "webhook",
  label: "Webhook",
  Icon: Webhook,
  fields: [addressField("url", "URL", "http or https. Private addresses are blocked.")],
  toTexts: () => ({}),
  toName: ({ urlPreview }) => urlPreview.replace(/^https?:\/\//, ""),
  toHelp: () => "Signed. One delivery per run.",
  toSaved: ({ urlPreview }) => urlPreview,
  isSigned: true,
  acceptedHelp: null,
  toAdvice: () => null,
};
