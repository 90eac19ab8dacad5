import { describe, expect, it } from "vitest";
import { unifiedPatch } from "./unified-patch";

describe("unified patch", () => {
  it("shows three lines of context, and counts additions and deletions", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n";
    const { patch, additions, deletions } = unifiedPatch({
      oldPath: "a.sql",
      newPath: "a.sql",
      before,
      after: before.replace("5\n", "five\nV\n"),
    });
    expect(patch).toBe(
      [
        "diff --git a/a.sql b/a.sql",
        "--- a/a.sql",
        "+++ b/a.sql",
        "@@ -2,7 +2,8 @@",
        " 2",
        " 3",
        " 4",
        "-5",
        "+five",
        "+V",
        " 6",
        " 7",
        " 8",
        "",
      ].join("\n"),
    );
    expect({ additions, deletions }).toEqual({ additions: 2, deletions: 1 });
  });

  it("marks a missing newline at the end", () => {
    const { patch } = unifiedPatch({ oldPath: null, newPath: "n.sql", before: "", after: "select 1" });
    expect(patch).toBe(
      "diff --git a/n.sql b/n.sql\nnew file mode 100644\n--- /dev/null\n+++ b/n.sql\n@@ -0,0 +1 @@\n+select 1\n\\ No newline at end of file\n",
    );
  });

  it("is only a header for a plain rename", () => {
    const { patch, additions, deletions } = unifiedPatch({ oldPath: "a", newPath: "b", before: "x\n", after: "x\n" });
    expect(patch).toBe("diff --git a/a b/b\nrename from a\nrename to b\n");
    expect({ additions, deletions }).toEqual({ additions: 0, deletions: 0 });
  });
});
