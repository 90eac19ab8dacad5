import { describe, expect, it } from "vitest";
import { toDeliveryAdvice } from "@/lib/features/notifications/browser/delivery-words";

const failed = { status: "failed", httpStatus: 503, lastError: "It answered 503." } as const;

describe("what to do about a delivery", () => {
  it("is nothing for one that has arrived, waits or was not wanted", () => {
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
  ])("goes by what was answered: %s", (httpStatus, advice) =>
    expect(toDeliveryAdvice({ ...failed, httpStatus }, null)).toMatch(advice),
  );

  it("leaves alone what is tried again by itself", () => {
    expect(toDeliveryAdvice({ ...failed, status: "retrying" }, null)).toMatch(/retried automatically/);
  });

  it("is the channel's advice if it has one", () => {
    expect(toDeliveryAdvice({ ...failed, httpStatus: null }, "Check the recipients.")).toBe(
      "Check the recipients. Then click Resend.",
    );
  });
});
