import { describe, expect, it } from "vitest";
import { toSignInFailure } from "./sign-in-failure";

describe("why a sign-in by a provider failed", () => {
  it("is said in other words for each way to fail, and always says what to do", () => {
    const ways = [
      "OAuthAccountNotLinked",
      "AccessDenied",
      "OAuthCallbackError",
      "MissingCSRF",
      "Configuration",
      "other",
    ];
    const texts = ways.map((way) => toSignInFailure(way) ?? "");
    expect(new Set(texts).size).toBe(ways.length);
    for (const text of texts) expect(text).toMatch(/Sign in with your original method|Try again|[Uu]se your email/);
  });

  it("is in our own words, whatever the address holds", () => {
    for (const text of ["", "__proto__", "<b>call 555</b>", "x".repeat(10_000)]) {
      expect(toSignInFailure(text)).toBe(toSignInFailure("other"));
    }
  });

  it("is nothing when none failed", () => {
    expect([toSignInFailure(null), toSignInFailure(undefined)]).toEqual([null, null]);
  });
});
