import { SCHEDULE_REFUSALS } from "@/lib/features/runs/schedules/reference";

/** Well-formed values that may still be rejected: the egress proxy checks addresses. */
export const ADDRESS_REFUSALS = {
  url: "No http or https address, or one with a user name, or a port that no web server has",
  chatWebhookUrl: "No http or https address, or one with a user name, or a port that no web server has",
};

/** Further values that snapshots of dashboards reject. */
export const SNAPSHOT_REFUSALS = {
  ...SCHEDULE_REFUSALS,
  filters: "A filter that the dashboard has not, or a value of another kind",
};

/** Fields that a change of channel requires. */
export const CHANNEL_REFUSALS = {
  recipients: "Left out where the rule becomes one of email",
  url: "Left out where the rule becomes one of webhook",
  chatWebhookUrl: "Left out where the rule becomes one of chat",
};

export const RULE_WORDS =
  "It fires when a run of the console or flow ends with one of its triggers; runs that were cancelled fire none. One channel a rule, several rules a resource (at most 50). email needs recipients, webhook needs url, chat needs chatWebhookUrl. Addresses are http or https and not private, and are looked at again at each send. Owners, admins and API keys may; a member may read.";

/** Input of the vectors below and in docs/develop/notifications.md. */
export const VECTOR = {
  secret: "whsec_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  body: '{"version":1,"event":"flow.run.terminal"}',
  serviceSignature: "f4f276249e8764e4c844c5f102df27429d7eb7116ed09480a46324eb2c460184",
  id: "msg_2f8a1c",
  timestamp: "1700000000",
  signature: "v1,l9O1jqBcWqEtCA4Hh9MMSgoPKLmvl+Ej9p2JppHjzhA=",
};

export const WEBHOOK_WORDS = `A webhook is POSTed the payload with two signatures over the exact bytes of the body. \`X-Service-Signature\` is the hex HMAC-SHA256 of the body, keyed with the whole secret as it was shown (\`signingSecretOnce\`, as UTF-8). \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` are those of Standard Webhooks, whose libraries take the same secret. The id is the same whenever a delivery is sent again. Compare in constant time; anything but 2xx within 10 s is a failure and is tried up to five times more.

Test vectors, secret \`${VECTOR.secret}\` and body \`${VECTOR.body}\`: \`X-Service-Signature: ${VECTOR.serviceSignature}\`; with \`webhook-id: ${VECTOR.id}\` and \`webhook-timestamp: ${VECTOR.timestamp}\`: \`webhook-signature: ${VECTOR.signature}\`.`;
