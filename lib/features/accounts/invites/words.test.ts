import { describe, expect, it } from "vitest";
import { toInvitedRole, toInviteToken } from "./words";

describe("toInviteToken", () => {
  it("finds the token of an invitation's address, and none in others", () => {
    expect(toInviteToken("/invites/abc_DEF-123")).toBe("abc_DEF-123");
    for (const next of [null, "", "/", "/invites", "/invites/", "/invites/a/b", "/invites/a?b", "/w/invites/a"]) {
      expect(toInviteToken(next)).toBeNull();
    }
  });
});

describe("toInvitedRole", () => {
  it("says as what somebody is invited", () => {
    expect([toInvitedRole("member"), toInvitedRole("admin"), toInvitedRole("owner")]).toEqual([
      "a member",
      "an admin",
      "an owner",
    ]);
  });
});
