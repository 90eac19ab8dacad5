import { CodeBox } from "@/components/ui/code-box";

const CODE = `import { createHmac, timingSafeEqual } from "node:crypto";

// secret: the whole text, whsec_ included; rawBody: the bytes as they came
const expected = createHmac("sha256", secret).update(rawBody).digest();
const given = Buffer.from(request.headers["x-service-signature"], "hex");
const isOurs = given.length === expected.length && timingSafeEqual(given, expected);`;

/** Help for receivers on verifying our messages. */
export function VerifyHelp() {
  return (
    <details className="verify">
      <summary className="xs link">Verify the signature</summary>
      <p className="xs t2">
        X-Service-Signature is the hex HMAC-SHA256 of the raw body. The webhook-* headers follow Standard Webhooks; its
        libraries accept the same secret.
      </p>
      <CodeBox label="Verify the signature">{CODE}</CodeBox>
    </details>
  );
}
