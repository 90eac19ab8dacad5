import { describe, expect, it } from "vitest";
import type { PullFile } from "./model";
import { COMMENT_MARK, commentOf, statusOf, summaryOf } from "./pull-report";

const file = (path: string, more: Partial<PullFile> = {}): PullFile => ({
  ...{ path, status: "modified", kind: "console", numbers: null },
  ...more,
});
const report = (files: PullFile[], fault: string | null = null) => ({
  ...{ state: fault === null ? ("success" as const) : ("failure" as const), fault, files, reviewSha: "a".repeat(40) },
});

describe("the report of a pull request", () => {
  it("counts consoles, dashboards and other files", () => {
    const [a, b] = [file("consoles/a.sql"), file("dashboards/b.json", { kind: "dashboard" })];
    expect(summaryOf([])).toBe("No files of the workspace change");
    expect(summaryOf([a])).toBe("1 console changes");
    expect(summaryOf([a, a, a, b])).toBe("3 consoles and 1 dashboard change");
    expect(summaryOf([a, b, file("docs/c.md", { kind: "other" })])).toBe(
      "1 console, 1 dashboard and 1 other file change",
    );
  });

  it("has a description of at most 140 characters", () => {
    const { description } = statusOf(report([], "x".repeat(500)));
    expect([description.length, description.endsWith("…")]).toEqual([140, true]);
  });

  it("shows names as text that has no meaning in Markdown", () => {
    const name = "consoles/a|b `@hana` <img src=x> [x](y) #1.sql";
    const comment = commentOf(report([file(name)]), "https://millrace.example/r") ?? "";
    const line = comment.split("\n").find((each) => each.includes("consoles/")) ?? "";
    expect(line).toMatch(
      /^\| <code>[^<>|`@#[\]]*(?:&#\d+;[^<>|`@[\]]*)*<\/code> \| modified \| not compared \| {2}\| {2}\|$/,
    );
    expect(commentOf(report([], "consoles/a.sql: “@hana”\n| x"), "")).toContain(
      "<code>consoles/a.sql: &#8220;&#64;hana&#8221; &#124; x</code>",
    );
  });

  it("has one row for each changed widget, at most 100 rows, and no reason of a failed query", () => {
    const numbers = { title: "Revenue", added: 1, removed: 0, changed: 2, isFailed: false, isPartial: true };
    const board = file("dashboards/b.json", { kind: "dashboard", numbers: [numbers, { ...numbers, isFailed: true }] });
    const comment = commentOf(
      report([board, ...Array.from({ length: 120 }, (_, n) => file(`consoles/${n}.sql`))]),
      "u",
    );
    expect(comment?.startsWith(COMMENT_MARK)).toBe(true);
    expect(comment).toContain("| <code>dashboards/b.json</code>: <code>Revenue</code> | modified | 1+ | 0+ | 2+ |");
    expect(comment).toContain("| modified | failed |  |  |");
    expect(comment).toContain("22 more are not shown.");
  });

  it("has no comment for a pull request without changes, or of people without access", () => {
    expect(commentOf(report([]), "u")).toBeNull();
    expect(commentOf({ ...report([]), state: "pending" }, "u")).toBeNull();
  });
});
