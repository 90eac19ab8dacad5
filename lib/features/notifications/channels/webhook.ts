import "server-only";
import { signatureHeaders } from "../signature";
import type { Send } from "./channel";
import { postJson } from "./post";

export type OpenWebhook = { url: string; secret: string };

/** Posts the payload unchanged, signed. */
export const sendWebhook: Send<OpenWebhook> = ({ url, secret }, { body, webhookId }, line) => {
  const headers = signatureHeaders(secret, { id: webhookId, body, at: new Date() });
  return postJson({ url, body, headers, secrets: [secret] }, line);
};
