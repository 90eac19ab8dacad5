import { describe, expect, it } from "vitest";
import { toInvitedRole, toInviteToken } from "./words";

describe("toInviteToken", () => {
  it("finds the token in an invitation's URL, and in no other", () => {
    expect(toInviteToken("/invites/abc_DEF-123")).toBe("abc_DEF-123");
    for (const next of [null, "", "/", "/invites", "/invites/", "/invites/a/b", "/invites/a?b", "/w/invites/a"]) {
      expect(toInviteToken(next)).toBeNull();
    }
  });
});

describe("toInvitedRole", () => {
  it("returns the invited role", () => {
    expect([toInvitedRole("member"), toInvitedRole("admin"), toInvitedRole("owner")]).toEqual([
      "a member",
      "an admin",
      "an owner",
    ]);
  });
});
