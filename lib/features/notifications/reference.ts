import { SCHEDULE_REFUSALS } from "@/lib/features/runs/schedules/reference";

/** Well-formed values that may still be rejected: the egress proxy checks addresses. */
export const ADDRESS_REFUSALS = {
  url: "Not an http or https URL, a URL with a user name, or a blocked port",
  chatWebhookUrl: "Not an http or https URL, a URL with a user name, or a blocked port",
};

/** Further values that snapshots of dashboards reject. */
export const SNAPSHOT_REFUSALS = {
  ...SCHEDULE_REFUSALS,
  filters: "An unknown filter, or a value of the wrong type",
};

/** Fields that a change of channel requires. */
export const CHANNEL_REFUSALS = {
  recipients: "Missing when the channel becomes email",
  url: "Missing when the channel becomes webhook",
  chatWebhookUrl: "Missing when the channel becomes chat",
};

export const RULE_WORDS =
  "Notifies when a run of the console or flow ends with one of the rule's triggers. Cancelled runs do not notify. Each rule has one channel; each resource has up to 50 rules. email requires recipients, webhook requires url, chat requires chatWebhookUrl. URLs must be http or https and not private, and are checked on every send. Requires an owner, admin or API key; members can read rules.";

/** Input of the vectors below and in docs/develop/notifications.md. */
export const VECTOR = {
  secret: "whsec_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  body: '{"version":1,"event":"flow.run.terminal"}',
  serviceSignature: "f4f276249e8764e4c844c5f102df27429d7eb7116ed09480a46324eb2c460184",
  id: "msg_2f8a1c",
  timestamp: "1700000000",
  signature: "v1,l9O1jqBcWqEtCA4Hh9MMSgoPKLmvl+Ej9p2JppHjzhA=",
};

export const WEBHOOK_WORDS = `Webhooks receive the payload as a POST with two signatures over the exact bytes of the body. \`X-Service-Signature\` is the hex HMAC-SHA256 of the body, keyed with the full secret as displayed (\`signingSecretOnce\`, as UTF-8). \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` are those of Standard Webhooks, whose libraries accept the same secret. Retries of a delivery have the same id. Compare signatures in constant time. A response other than 2xx within 10 s is a failure and is retried up to five times.

Test vectors, secret \`${VECTOR.secret}\` and body \`${VECTOR.body}\`: \`X-Service-Signature: ${VECTOR.serviceSignature}\`; with \`webhook-id: ${VECTOR.id}\` and \`webhook-timestamp: ${VECTOR.timestamp}\`: \`webhook-signature: ${VECTOR.signature}\`.`;
