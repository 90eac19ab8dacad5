import { describe, expect, it } from "vitest";
import { toDeliveryAdvice } from "@/lib/features/notifications/browser/delivery-words";

const failed = { status: "failed", httpStatus: 503, lastError: "It answered 503." } as const;

describe("advice for a delivery", () => {
  it("is empty for a delivered, queued or skipped one", () => {
    for (const status of ["sent", "queued", "skipped"] as const) {
      expect(toDeliveryAdvice({ ...failed, status }, null)).toBeNull();
    }
  });

  it.each([
    [503, /service is down/],
    [404, /Check the URL path/],
    [401, /denied access/],
    [302, /redirects/],
    [422, /returned 422/],
    [null, /It answered 503\. Then click Resend/],
  ])("depends on the response: %s", (httpStatus, advice) =>
    expect(toDeliveryAdvice({ ...failed, httpStatus }, null)).toMatch(advice),
  );

  it("is empty while it is retried automatically", () => {
    expect(toDeliveryAdvice({ ...failed, status: "retrying" }, null)).toMatch(/retried automatically/);
  });

  it("is the channel's if it has one", () => {
    expect(toDeliveryAdvice({ ...failed, httpStatus: null }, "Check the recipients.")).toBe(
      "Check the recipients. Then click Resend.",
    );
  });
});
