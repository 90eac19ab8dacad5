import { describe, expect, it } from "vitest";
import { parseEmails } from "@/lib/platform/browser/email-list";

describe("a list of addresses", () => {
  it("is split by commas, semicolons, spaces and line ends", () => {
    expect(parseEmails("ana@example.com, bo@example.com;cy@example.com\ndi@example.com ed@example.com").emails).toEqual(
      ["ana@example.com", "bo@example.com", "cy@example.com", "di@example.com", "ed@example.com"],
    );
  });

  it("drops the names that a mail program puts before the addresses", () => {
    expect(parseEmails("Ana Costa <ana@example.com>, Bo <bo@example.com>")).toEqual({
      emails: ["ana@example.com", "bo@example.com"],
      rest: [],
    });
  });

  it("names an address once, whatever its case", () => {
    expect(parseEmails("Ana@Example.com ana@example.com").emails).toEqual(["ana@example.com"]);
  });

  it("keeps apart what cannot be an address", () => {
    expect(parseEmails("ana@example.com ana@")).toEqual({ emails: ["ana@example.com"], rest: ["ana@"] });
  });
});
