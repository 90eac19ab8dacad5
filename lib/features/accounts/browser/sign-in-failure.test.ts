import { describe, expect, it } from "vitest";
import { toSignInFailure } from "./sign-in-failure";

describe("the reason of a failed provider sign-in", () => {
  it("differs for each failure and says what to do", () => {
    const ways = [
      "OAuthAccountNotLinked",
      "AccessDenied",
      "OAuthCallbackError",
      "MissingCSRF",
      "Unavailable",
      "Configuration",
      "other",
    ];
    const texts = ways.map((way) => toSignInFailure(way) ?? "");
    expect(new Set(texts).size).toBe(ways.length);
    for (const text of texts) expect(text).toMatch(/Sign in with your original method|Try again|[Uu]se your email/);
  });

  it("is a fixed text, whatever the URL contains", () => {
    for (const text of ["", "__proto__", "<b>call 555</b>", "x".repeat(10_000)]) {
      expect(toSignInFailure(text)).toBe(toSignInFailure("other"));
    }
  });

  it("is null without a failure", () => {
    expect([toSignInFailure(null), toSignInFailure(undefined)]).toEqual([null, null]);
  });
});
