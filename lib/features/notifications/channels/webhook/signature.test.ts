// @module-tag heavy
import { createHmac, timingSafeEqual } from "node:crypto";
import fc from "fast-check";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, it } from "vitest";
import { newSigningSecret } from "@/lib/platform/secrets/signing-secret";
import { VECTOR, WEBHOOK_WORDS } from "./reference";
import { signatureHeaders } from "./signature";

const NOW = new Date();

/** Verifies a signature as docs/develop/notifications.md tells receivers to. */
function verifyPlain(secret: string, rawBody: Buffer, header: string): boolean {
  const expected = createHmac("sha256", secret).update(rawBody).digest();
  const given = Buffer.from(header, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

describe("the signing secret", () => {
  it("is whsec_ and 64 hexadecimal digits, and unique", () => {
    const secrets = Array.from({ length: 100 }, newSigningSecret);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
    expect(new Set(secrets).size).toBe(100);
  });
});

describe("the signatures of a webhook (T75)", () => {
  it("match independent test vectors", () => {
    const { secret, body, id, timestamp, serviceSignature, signature } = VECTOR;
    const at = new Date(Number(timestamp) * 1000 + 999);
    expect(signatureHeaders(secret, { id, body, at })).toEqual({
      "X-Service-Signature": serviceSignature,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    });
    for (const value of Object.values(VECTOR)) expect(WEBHOOK_WORDS).toContain(value);
  });

  it("verify with Standard Webhooks, Svix and plain HMAC, for any payload", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u{1F9AB}", "\u2028\u2029", "\ud800", "\0", "1e21", "é".repeat(50_000)),
    );
    const payload = fc.record({ resourceName: text, errorMessage: fc.option(text), rowCount: fc.double() });
    fc.assert(
      fc.property(payload, (data) => {
        const secret = newSigningSecret();
        const body = JSON.stringify(data);
        const headers = signatureHeaders(secret, { id: "msg_1", body, at: NOW });
        // The bytes that are sent.
        const raw = Buffer.from(body);
        // Both throw if the signature does not match the body.
        new StandardWebhook(secret).verify(raw.toString(), headers);
        new SvixWebhook(secret).verify(raw.toString(), headers);
        expect(verifyPlain(secret, raw, headers["X-Service-Signature"] ?? "")).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it("fail with another secret, body, ID or time", () => {
    const [secret, other] = [newSigningSecret(), newSigningSecret()];
    const headers = signatureHeaders(secret, { id: "msg_1", body: "{}", at: NOW });
    expect(() => new StandardWebhook(other).verify("{}", headers)).toThrow();
    expect(() => new SvixWebhook(other).verify("{}", headers)).toThrow();
    expect(() => new StandardWebhook(secret).verify("{ }", headers)).toThrow();
    expect(() => new StandardWebhook(secret).verify("{}", { ...headers, "webhook-id": "msg_2" })).toThrow();
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    expect(() => new StandardWebhook(secret).verify("{}", { ...headers, "webhook-timestamp": later })).toThrow();
    expect(verifyPlain(other, Buffer.from("{}"), headers["X-Service-Signature"] ?? "")).toBe(false);
    const old = signatureHeaders(secret, { id: "msg_1", body: "{}", at: new Date(NOW.getTime() - 6 * 60_000) });
    expect(() => new StandardWebhook(secret).verify("{}", old)).toThrow(/too old/i);
  });
});
