import { describe, expect, it } from "vitest";
import { mergeSides, mergeText } from "./merge-text";

const BASE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

describe("merging two versions of a text", () => {
  it("takes both sides' separate changes", () => {
    const ours = BASE.replace("one", "ONE");
    const theirs = BASE.replace("seven\n", "seven\neight\n");
    expect(mergeText(BASE, ours, theirs)).toBe("ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n");
  });

  it("takes the same change of both sides once", () => {
    const both = BASE.replace("three", "3");
    expect(mergeText(BASE, both, both)).toBe(both);
    expect(mergeText(BASE, both.replace("one\n", ""), both)).toBe(both.replace("one\n", ""));
  });

  it("is a conflict when both change one line differently", () => {
    expect(mergeText(BASE, BASE.replace("three", "3"), BASE.replace("three", "III"))).toBeNull();
  });

  it("is a conflict when they change lines that touch", () => {
    expect(mergeText(BASE, BASE.replace("three", "3"), BASE.replace("four", "4"))).toBeNull();
  });

  it("is a conflict when both insert different lines at one position", () => {
    expect(mergeText(BASE, `zero\n${BASE}`, `null\n${BASE}`)).toBeNull();
  });

  it("is a conflict when one side changes what the other removes", () => {
    expect(mergeText(BASE, BASE.replace("two\nthree\nfour\n", ""), BASE.replace("three", "3"))).toBeNull();
  });

  it("takes a text that only one side changed", () => {
    expect(mergeText(BASE, "", BASE)).toBe("");
    expect(mergeText(BASE, BASE, "new")).toBe("new");
    expect(mergeText("", "a\n", "")).toBe("a\n");
  });
});

describe("mergeSides", () => {
  it("keeps both sides of a conflict, and merges all other edits into both", () => {
    const ours = BASE.replace("one", "1").replace("four", "mine");
    const theirs = BASE.replace("four", "theirs").replace("seven", "7");
    const merged = BASE.replace("one", "1").replace("seven", "7");
    expect(mergeSides(BASE, ours, theirs)).toEqual({
      ours: merged.replace("four", "mine"),
      theirs: merged.replace("four", "theirs"),
      conflicts: 1,
    });
  });
});
