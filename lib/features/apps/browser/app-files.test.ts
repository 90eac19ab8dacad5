import { describe, expect, it } from "vitest";
import { buildFileTree, differencesOf, faultOfName, fileKindOf, imageTypeOf, movedPath } from "./app-files";

const file = (path: string) => ({ path, oid: path });

describe("the tree of an app's files", () => {
  const files = ["src/App.tsx", "README.md", "src/parts/b.ts", "file10.md", "file9.md"].map(file);

  it("has folders first, each sorted naturally, and shows open ones", () => {
    const rows = buildFileTree(files, ["bindings"], (folder) => folder === "src");
    expect(rows.map(({ path, level, isExpanded }) => [path, level, isExpanded])).toEqual([
      ["bindings", 0, false],
      ["src", 0, true],
      ["src/parts", 1, false],
      ["src/App.tsx", 1, undefined],
      ["file9.md", 0, undefined],
      ["file10.md", 0, undefined],
      ["README.md", 0, undefined],
    ]);
    expect(
      rows.filter(({ level }) => level === 0).map(({ positionInSet, setSize }) => [positionInSet, setSize]),
    ).toEqual([1, 2, 3, 4, 5].map((at) => [at, 5]));
    expect(rows.find(({ path }) => path === "src/parts")).toMatchObject({ parentId: "src", file: null });
  });

  it("renames a folder with its contents, and not files with the same prefix", () => {
    expect(movedPath("src/parts/b.ts", "src", "lib")).toBe("lib/parts/b.ts");
    expect(movedPath("src", "src", "lib")).toBe("lib");
    expect(movedPath("srcs/b.ts", "src", "lib")).toBeNull();
  });
});

describe("a file", () => {
  it("is recognised by its extension", () => {
    expect(["a.tsx", "a.CSS", "x/y.sql", "a.md", "LICENSE", ".gitignore", "a.png"].map(fileKindOf)).toEqual([
      "script",
      "css",
      "sql",
      "markdown",
      "text",
      "text",
      "image",
    ]);
    expect([imageTypeOf("a.SVG"), imageTypeOf("a.ts")]).toEqual(["image/svg+xml", null]);
  });

  it("has a name within the app", () => {
    expect(["", "a//b", "../a", "a\u0000"].map((name) => faultOfName(name) === null)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(faultOfName("parts/new file.tsx")).toBeNull();
  });
});

it("compares two trees by added, removed and changed files", () => {
  const before = [file("same"), { path: "changed", oid: "1" }, file("gone")];
  const after = [file("same"), { path: "changed", oid: "2" }, file("came")];
  expect(differencesOf(before, after)).toEqual([
    { path: "came", status: "added" },
    { path: "changed", status: "modified" },
    { path: "gone", status: "deleted" },
  ]);
});
