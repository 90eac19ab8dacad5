import { describe, expect, it } from "vitest";
import { type Share, shareBody } from "@/lib/features/shares/schema";
import { findShareProblems, type ShareFields, toShareBody, toShareFields } from "./share-form";

const NOW = new Date(2026, 10, 25, 9, 0);
const PAST = new Date(2026, 10, 20, 23, 59, 59, 999).toISOString();
const SHARE: Share = {
  enabled: true,
  url: "https://millrace.example/s/token",
  token: "token",
  hasPassword: true,
  expiresAt: PAST,
  embed: true,
  embedOrigins: ["https://wiki.example.com"],
  createdAt: PAST,
  updatedAt: PAST,
};
const LINK: ShareFields = { reach: "link", password: "", ends: "", embed: { isOn: false, origins: [] } };

describe("toShareFields", () => {
  it("never contains the stored password", () => {
    expect(toShareFields(SHARE)).toMatchObject({ reach: "password", password: "", ends: "2026-11-20" });
    expect(toShareFields({ ...SHARE, hasPassword: false }).reach).toBe("link");
    expect([toShareFields(null).reach, toShareFields({ ...SHARE, enabled: false }).reach]).toEqual(["workspace", "workspace"]); // biome-ignore format: one look
  });
});

describe("findShareProblems", () => {
  it("needs a password unless one is stored", () => {
    const fields: ShareFields = { ...LINK, reach: "password" };
    expect(findShareProblems(fields, null, NOW).password).toMatch(/^Enter a password/);
    expect(findShareProblems(fields, SHARE, NOW)).toEqual({});
  });

  it("rejects a past day, but not one that is stored already", () => {
    const fields = { ...LINK, ends: "2026-11-20" };
    expect(findShareProblems(fields, null, NOW).ends).toBe("Select a date in the future.");
    expect(findShareProblems(fields, SHARE, NOW)).toEqual({});
  });

  it("needs a site only while embedding is on and the link is shared", () => {
    const fields: ShareFields = { ...LINK, embed: { isOn: true, origins: [] } };
    expect(findShareProblems(fields, null, NOW).embed).toBe("Add at least one site.");
    expect(findShareProblems({ ...fields, reach: "workspace" }, null, NOW)).toEqual({});
  });
});

describe("toShareBody", () => {
  it("keeps a stored password that is not typed again, and removes it for an open link", () => {
    expect("password" in toShareBody({ ...LINK, reach: "password" }, SHARE, true, NOW)).toBe(false);
    expect(toShareBody(LINK, SHARE, true, NOW).password).toBeNull();
  });

  it("sends the end of the day, and no sites for an object that cannot be embedded", () => {
    const body = toShareBody({ ...LINK, ends: "2026-11-30" }, null, false, NOW);
    expect(body).toEqual({
      enabled: true,
      password: null,
      expiresAt: new Date(2026, 10, 30, 23, 59, 59, 999).toISOString(),
    });
  });

  it("passes the server's schema whenever no problem was found", () => {
    const embed = { isOn: true, origins: ["https://wiki.example.com"] };
    for (const reach of ["workspace", "password", "link"] as const) {
      for (const ends of ["", "2026-11-20", "2027-01-31"]) {
        const fields = { reach, password: "correct horse", ends, embed };
        expect(findShareProblems(fields, SHARE, NOW)).toEqual({});
        expect(shareBody.safeParse(toShareBody(fields, SHARE, true, NOW)).success).toBe(true);
      }
    }
  });
});
