import { describe, expect, it } from "vitest";
import { suggestEmail } from "@/lib/features/accounts/browser/email-suggestion";
import { findEmailProblem } from "@/lib/platform/browser/email-help";

describe("findEmailProblem", () => {
  it("accepts ordinary addresses", () => {
    for (const email of ["ines@harrowandpine.example", "a+b@c.co", " ana@example.com "])
      expect(findEmailProblem(email)).toBeNull();
  });

  it("names the missing domain ending", () => {
    expect(findEmailProblem("ines@harrowandpine")).toContain("Add the domain ending");
    expect(findEmailProblem("ines@harrowandpine.")).toContain("Add the domain ending");
  });

  it.each([
    ["", "Enter your email"],
    ["ines", "Add an @"],
    ["@example.com", "before the @"],
    ["ines@", "after the @"],
    ["in es@example.com", "spaces"],
    ["a@b@example.com", "more than one @"],
    ["a@b..com", "extra dot"],
  ])("says of %j what is missing", (email, part) => {
    expect(findEmailProblem(email)).toContain(part);
  });
});

describe("suggestEmail", () => {
  it("corrects a typo in a well-known host and keeps the name as typed", () => {
    expect(suggestEmail("Ines.O@gmial.com")).toBe("Ines.O@gmail.com");
    expect(suggestEmail("ines@hotmial.com")).toBe("ines@hotmail.com");
  });

  it("keeps correct and unknown hosts", () => {
    expect(suggestEmail("ines@gmail.com")).toBeNull();
    expect(suggestEmail("ines@harrowandpine.shop")).toBeNull();
    expect(suggestEmail("ines")).toBeNull();
  });
});
