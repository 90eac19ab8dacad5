import { z } from "zod";
import type { Sealed } from "@/lib/platform/secrets/seal";
import type { Channel } from "../channel";
import { displayLabel, required, webAddress } from "../fields";

const fields = {
  chatWebhookUrl: webAddress.describe("Incoming webhook URL of the chat"),
  displayLabel: displayLabel.optional(),
};
const options = {};
const shown = z.object({ displayLabel: z.string().nullable(), configured: z.boolean() });
type Stored = { url: Sealed; displayLabel: string | null };

/**
 * The incoming webhook of Slack or of a chat that accepts the same messages. Its address is encrypted, since anyone who
 * has it can post (T85).
 */
export const chat: Channel<"chat", typeof fields, typeof options, typeof shown, Stored, { url: string }> = {
  type: "chat",
  fields,
  options,
  shown,
  address: { field: "chatWebhookUrl", isHttpsOnly: false },
  recipientsOf: ({ chatWebhookUrl }) => (chatWebhookUrl === undefined ? [] : [chatWebhookUrl]),
  reference: "A chat receives `{text, blocks}` at its incoming webhook; `blocks` are Slack's Block Kit.",
  store: ({ chatWebhookUrl, displayLabel }, before, vault) => {
    const url = chatWebhookUrl === undefined ? before?.url : vault.seal("url", chatWebhookUrl);
    return {
      stored: {
        url: required(url, "chatWebhookUrl", "Enter the incoming webhook URL."),
        displayLabel: (displayLabel ?? before?.displayLabel) || null,
      },
    };
  },
  open: ({ url }, vault) => ({ url: vault.open("url", url) }),
  show: ({ displayLabel }) => ({ displayLabel, configured: true }),
  loadSender: () => import("./send"),
};
