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
