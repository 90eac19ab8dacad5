import { describe, expect, it } from "vitest";
import { findLanguageProblems } from "./support/language";

const found = (path: string, source: string) =>
  findLanguageProblems(path, source).map(({ line, found: words }) => [line, words]);
/** In two parts, so that the check of this repository does not find it here. */
const COINED = ["one", "AtATime"].join("");

describe("the language check", () => {
  it.each([
    ["a string", "lib/x.ts", 'const a = 1;\nthrow new AppError("gone", "It is read anew.");', [[2, "anew"]]],
    ["a template", "lib/x.ts", "const text = `rows that are read by hand`;", [[1, "by hand"]]],
    ["text between tags", "components/x.tsx", "return <p>\n  Loads by itself\n</p>;", [[2, "by itself"]]],
    ["a comment", "lib/x.ts", "run(); //The run goes on.", [[1, "goes on"]]],
    ["a comment of styles", "app/x.css", "a { color: red }\n/* It stands on its line. */", [[2, "It stands"]]],
    ["a page of docs", "docs/x.md", "# A page\n\nA flow that somebody runs.", [[3, "somebody"]]],
    [
      "a doc comment without a head",
      "lib/x.ts",
      "\n/** What a column is called. */",
      [[2, "What a column is called."]],
    ],
    ["a coined name", "lib/x.ts", `import { ${COINED} } from "./locks";`, [[1, COINED]]],
    ["a comment of a test", "lib/x.test.ts", "// Mended by the next run.", [[1, "Mended"]]],
  ])("finds unusual wording in %s", (_, path, source, expected) => {
    expect(found(path, source)).toEqual(expected);
  });

  it.each([
    ["strings of tests", "lib/x.test.ts", 'expect(told).toBe("read anew by hand");'],
    ["code", "lib/x.ts", "const { anew, underWay } = whatever;"],
    ["code in docs", "docs/x.md", "Run `fix by hand`.\n\n```\nread it anew\n```"],
    ["words that only contain a phrase", "lib/x.ts", '// Recommended: no more than ten, amended "as items".'],
    ["a question as a doc comment", "lib/x.ts", "/** What does a caller see? */"],
  ])("accepts %s", (_, path, source) => {
    expect(found(path, source)).toEqual([]);
  });

  it("suggests the usual word", () => {
    const [problem] = findLanguageProblems("lib/x.ts", '"This value is sealed with a key"');
    expect(problem).toEqual({ line: 1, found: "sealed", advice: "encrypted" });
  });
});
