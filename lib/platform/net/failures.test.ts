import { expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { addressRefused, toConnectionFailure } from "./failures";

const coded = (code: string, cause?: unknown) =>
  Object.assign(new Error("connect to postgres://bob:hunter2@10.0.0.1 failed", { cause }), { code });

test.each([
  ["ENOTFOUND", "source_unreachable", "name"],
  ["ECONNREFUSED", "source_unreachable", "refused"],
  ["ENETUNREACH", "source_unreachable", "unreachable"],
  ["ECONNRESET", "source_unreachable", "closed"],
  ["ETIMEDOUT", "timeout", "timeout"],
  ["CERT_HAS_EXPIRED", "source_unreachable", "tls"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "source_unreachable", "tls"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "source_unreachable", "tls"],
  ["HPE_INVALID_CONSTANT", "source_unreachable", "protocol"],
  ["E_NEVER_HEARD_OF", "source_unreachable", "other"],
])("T47 maps %s to %s (%s) in a fixed message; only the log has the original", (code, kind, reason) => {
  for (const error of [coded(code), new TypeError("fetch failed", { cause: coded(code) })]) {
    const failure = toConnectionFailure(error);
    expect(failure).toMatchObject({ kind, details: { reason }, cause: error });
    expect(failure.message).not.toMatch(/hunter2|10\.0\.0\.1|fetch failed/);
  }
});

test("keeps a refusal that a client has wrapped", () => {
  const refused = addressRefused();
  expect(toConnectionFailure(new TypeError("fetch failed", { cause: coded("UND_ERR", refused) }))).toBe(refused);
  expect(toConnectionFailure("thrown text")).toBeInstanceOf(AppError);
});
