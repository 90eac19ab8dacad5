import { describe, expect, it } from "vitest";
import { parseEmails } from "@/lib/platform/browser/email-list";

describe("a list of addresses", () => {
  it("is split by commas, semicolons, spaces and line ends", () => {
    expect(parseEmails("ana@example.com, bo@example.com;cy@example.com\ndi@example.com ed@example.com").emails).toEqual(
      ["ana@example.com", "bo@example.com", "cy@example.com", "di@example.com", "ed@example.com"],
    );
  });

  it("drops display names in front of addresses", () => {
    expect(parseEmails("Ana Costa <ana@example.com>, Bo <bo@example.com>")).toEqual({
      emails: ["ana@example.com", "bo@example.com"],
      rest: [],
    });
  });

  it("lists an address once, ignoring case", () => {
    expect(parseEmails("Ana@Example.com ana@example.com").emails).toEqual(["ana@example.com"]);
  });

  it("separates text that is not an address", () => {
    expect(parseEmails("ana@example.com ana@")).toEqual({ emails: ["ana@example.com"], rest: ["ana@"] });
  });
});
