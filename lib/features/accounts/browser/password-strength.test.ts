import { describe, expect, it } from "vitest";
import { toPasswordStrength } from "@/lib/features/accounts/browser/password-strength";

describe("toPasswordStrength", () => {
  it("fills no part for an empty text", () => {
    expect(toPasswordStrength("")).toEqual({ score: 0, isCommon: false });
  });

  it.each(["password", "Password1!", "qwertyuiop", "12345678"])("calls %s common", (password) => {
    expect(toPasswordStrength(password)).toEqual({ score: 1, isCommon: true });
  });

  it("gives a short sentence all parts and no warning", () => {
    expect(toPasswordStrength("seven herons by the mill")).toEqual({ score: 4, isCommon: false });
  });

  it("ignores repeated letters, sequences, and the person's name", () => {
    expect(toPasswordStrength("aaaaaaaaaaaaaaaa").score).toBe(1);
    expect(toPasswordStrength("abcdefghijklmnop").score).toBe(1);
    expect(toPasswordStrength("inesokafor1", ["Ines Okafor"]).score).toBe(1);
  });

  it("never falls when new kinds of characters are added", () => {
    const scores = ["kettle", "kettleX9", "kettleX9!vane", "kettleX9!vane#Loop77"].map(
      (p) => toPasswordStrength(p).score,
    );
    expect(scores).toEqual([...scores].sort());
    expect(scores.at(-1)).toBe(4);
  });
});
