export const WEBHOOK_LANGUAGES = [
  { value: "curl", label: "curl" },
  { value: "javascript", label: "JavaScript" },
  { value: "python", label: "Python" },
] as const;
export type WebhookLanguage = (typeof WEBHOOK_LANGUAGES)[number]["value"];

/**
 * Returns a script that signs an event with the secret in SECRET, and sends it.
 * @param url address of the webhook
 */
export function toWebhookExample(language: WebhookLanguage, url: string): string {
  return { curl, javascript, python }[language](url);
}

const EVENT = '{"id":"t1","type":"parcel.scanned","parcel":"NL-204"}';

const curl = (url: string) => `body='${EVENT}'
sig=$(printf %s "$body" | openssl dgst -sha256 -hmac "$SECRET" -r)
curl '${url}' \\
  -H 'Content-Type: application/json' \\
  -H "X-Service-Signature: \${sig%% *}" \\
  -d "$body"`;

const javascript = (url: string) => `import { createHmac } from "node:crypto";

const body = '${EVENT}';
const hmac = createHmac("sha256", process.env.SECRET);
await fetch("${url}", {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    "X-Service-Signature": hmac.update(body).digest("hex"),
  },
  body,
});`;

const python = (url: string) => `import hashlib, hmac, os, urllib.request

body = b'${EVENT}'
key = os.environ["SECRET"].encode()
urllib.request.urlopen(urllib.request.Request(
    "${url}", data=body, method="POST",
    headers={
        "Content-Type": "application/json",
        "X-Service-Signature": hmac.new(key, body, hashlib.sha256).hexdigest(),
    },
))`;
