import { describe, expect, it } from "vitest";
import { chooseFormat, executeBody, executeOnBody } from "./schema";

describe("the format", () => {
  it.each([
    [null, "json"],
    ["*/*", "json"],
    ["text/html", "json"],
    ["text/csv", "csv"],
    ["application/x-ndjson", "ndjson"],
    ["text/csv;q=0.5, application/x-ndjson;q=0.9", "ndjson"],
    ["text/csv, */*;q=0.1", "csv"],
    ["Text/CSV; header=present", "csv"],
    ["text/csv;q=0, application/json", "json"],
  ])("for Accept %s is %s", (accept, format) => expect(chooseFormat(accept)).toBe(format));
});

describe("the body", () => {
  const id = "a".repeat(24);

  it("accepts databaseId for connectionId and requires one of them", () => {
    expect(executeBody.safeParse({ query: "select 1", databaseId: id }).success).toBe(true);
    expect(executeBody.safeParse({ query: "select 1" }).error?.issues[0]?.path).toEqual(["connectionId"]);
  });

  it("accepts a query as text or as an operation only", () => {
    expect(executeOnBody.safeParse({ query: { collection: "a", operation: "find" } }).success).toBe(true);
    for (const query of [undefined, null, "", 5, ["select 1"]]) {
      expect(executeOnBody.safeParse({ query }).success).toBe(false);
    }
  });

  it("rejects invalid limits, timeouts and IDs", () => {
    for (const wrong of [{ limit: 1.5 }, { timeoutMs: -1 }, { executionId: "1" }, { params: "x" }]) {
      expect(executeOnBody.safeParse({ query: "select 1", ...wrong }).success).toBe(false);
    }
  });
});
