import { Users } from "lucide-react";
import type { ChannelView } from "./channel-view";
import { addressField, nameField } from "./fields";

/** Statuses of a workflow that was deleted, turned off or given another URL. */
const GONE: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

export const teams: ChannelView<"teams"> = {
  type: "teams",
  label: "Teams",
  Icon: Users,
  fields: [
    addressField("teamsWebhookUrl", "Workflow webhook URL", "https URL of a workflow that posts webhook requests."),
    nameField("Finance weekly"),
  ],
  toTexts: ({ displayLabel }) => ({ displayLabel: displayLabel ?? "" }),
  toName: ({ displayLabel }) => displayLabel,
  toHelp: ({ host }) => host,
  toSaved: ({ host }) => host,
  isSigned: false,
  acceptedHelp: null,
  toAdvice: (httpStatus) => {
    if (httpStatus === 429) return "Teams limits the messages of a channel.";
    if (httpStatus === null || !GONE.has(httpStatus)) return null;
    return "Check that the workflow in Teams is on, and that its URL is current.";
  },
};
