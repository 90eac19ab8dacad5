import { describe, expect, it } from "vitest";
import { describeUserAgent } from "@/lib/features/accounts/browser/user-agent";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";

describe("a user agent in words", () => {
  it.each([
    [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, "Chrome on Linux", false],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0`,
      "Edge on Windows",
      false,
    ],
    ["Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Windows", false],
    [`Mozilla/5.0 (Linux; Android 15; Pixel 9) ${WEBKIT} Chrome/141.0 Mobile Safari/537.36`, "Chrome on Android", true],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari on iPhone",
      true,
    ],
    ["curl/8.10.1", "curl", false],
  ])("distinguishes %s", (userAgent, name, isHandheld) => {
    expect(describeUserAgent(userAgent)).toEqual({ name, isHandheld });
  });

  it("has a text for unknown clients", () => {
    expect(describeUserAgent(null).name).toBe("Unknown client");
    expect(describeUserAgent("").name).toBe("Unknown client");
  });
});
