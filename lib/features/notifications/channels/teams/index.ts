import { z } from "zod";
import type { Sealed } from "@/lib/platform/secrets/seal";
import type { Channel } from "../channel";
import { displayLabel, required, webAddress } from "../fields";

const fields = {
  teamsWebhookUrl: webAddress.describe("Webhook URL of a Microsoft Teams workflow. Must be https"),
  displayLabel: displayLabel.optional(),
};
const options = {};
const shown = z.object({ displayLabel: z.string().nullable(), host: z.string().describe("Host of the URL") });
type Stored = { url: Sealed; host: string; displayLabel: string | null };

/**
 * A channel or chat of Microsoft Teams, by a workflow that starts when a webhook request is received. The signature at
 * the end of its address lets anyone post, so responses contain the host alone.
 */
export const teams: Channel<"teams", typeof fields, typeof options, typeof shown, Stored, { url: string }> = {
  type: "teams",
  fields,
  options,
  shown,
  address: { field: "teamsWebhookUrl", isHttpsOnly: true },
  recipientsOf: ({ teamsWebhookUrl }) => (teamsWebhookUrl === undefined ? [] : [teamsWebhookUrl]),
  reference:
    'Microsoft Teams receives an Adaptive Card 1.4 as `{type: "message", attachments}` of at most 28 KB. Names and errors are never read as Markdown.',
  store: ({ teamsWebhookUrl, displayLabel }, before, vault) => {
    const address =
      teamsWebhookUrl === undefined
        ? before && { url: before.url, host: before.host }
        : { url: vault.seal("url", teamsWebhookUrl), host: new URL(teamsWebhookUrl).host };
    return {
      stored: {
        ...required(address ?? undefined, "teamsWebhookUrl", "Enter the workflow's webhook URL."),
        displayLabel: (displayLabel ?? before?.displayLabel) || null,
      },
    };
  },
  open: ({ url }, vault) => ({ url: vault.open("url", url) }),
  show: ({ displayLabel, host }) => ({ displayLabel, host }),
  loadSender: () => import("./send"),
};
