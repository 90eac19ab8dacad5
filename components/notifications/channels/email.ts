import { Mail } from "lucide-react";
import { formatCountOf } from "@/lib/platform/browser/format";
import type { ChannelView } from "./channel-view";
import { emailsField } from "./fields";

export const email: ChannelView<"email"> = {
  type: "email",
  label: "Email",
  Icon: Mail,
  fields: [emailsField("recipients")],
  toTexts: ({ recipients }) => ({ recipients: recipients.join(", ") }),
  toName: ({ recipients }) => recipients.join(", "),
  toHelp: ({ recipients }) => formatCountOf(recipients.length, "recipient"),
  toSaved: () => "set",
  isSigned: false,
  acceptedHelp: "Without an email service, the email stays in the outbox.",
  toAdvice: () => "The email service rejected it. Check the recipients and the email settings.",
};
