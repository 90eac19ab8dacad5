import { describe, expect, it } from "vitest";
import { toSafeNext } from "@/lib/features/accounts/browser/safe-next";

describe("toSafeNext", () => {
  it("keeps a path of this site with its query and fragment", () => {
    expect(toSafeNext("/w/ines/consoles/a?tab=json#row-2")).toBe("/w/ines/consoles/a?tab=json#row-2");
  });

  it.each([
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n//evil.example",
    "/./%2e//evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "w/ines",
    "",
  ])("rejects %j, which leaves this site", (next) => {
    expect(toSafeNext(next)).toBeNull();
  });

  it.each(["/login", "/login?next=/login", "/register", "/api/auth/logout"])("rejects %s, which would loop", (next) => {
    expect(toSafeNext(next)).toBeNull();
  });

  it("treats an absent value as none", () => {
    expect(toSafeNext(undefined)).toBeNull();
    expect(toSafeNext(null)).toBeNull();
  });
});
