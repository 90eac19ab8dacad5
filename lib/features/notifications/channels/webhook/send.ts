import "server-only";
import type { Send } from "../channel";
import { postJson } from "../post";
import { signatureHeaders } from "./signature";

/** Posts the payload unchanged, signed. */
export const send: Send<{ url: string; secret: string }> = ({ url, secret }, { body, webhookId }, line) => {
  const headers = signatureHeaders(secret, { id: webhookId, body, at: new Date() });
  return postJson({ url, body, headers, secrets: [secret] }, line);
};
