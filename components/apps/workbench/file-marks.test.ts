import { describe, expect, it } from "vitest";
import { problemsOfFile, toFileMarks, toFirstFile } from "./file-marks";

const problem = (path: string | null, line: number | null = 3) => ({ path, line, column: 2, message: "Unexpected" });
const build = (state: "ready" | "error") => ({ state }) as Parameters<typeof toFileMarks>[0][number]["build"];

describe("toFileMarks", () => {
  it("marks bindings by state and files with a compile error", () => {
    const marks = toFileMarks([{ path: "bindings/a.sql", build: build("ready") }], [problem("src/App.tsx")]);
    expect([...marks]).toEqual([
      ["bindings/a.sql", { word: "ready", isBad: false }],
      ["src/App.tsx", { word: "error", isBad: true }],
    ]);
  });

  it("shows a compile error instead of the state of a binding, and none without a file", () => {
    const marks = toFileMarks([{ path: "a.sql", build: build("ready") }], [problem("a.sql"), problem(null)]);
    expect([...marks]).toEqual([["a.sql", { word: "error", isBad: true }]]);
  });
});

it("returns only the problems of the file, those without a line at its first one", () => {
  const problems = [problem("a.ts", null), problem("b.ts"), problem(null)];
  expect(problemsOfFile(problems, "a.ts")).toEqual([{ line: 1, column: 2, message: "Unexpected" }]);
});

it("opens the main component first, then any file", () => {
  expect(toFirstFile([{ path: "README.md" }, { path: "src/App.tsx" }])).toBe("src/App.tsx");
  expect(toFirstFile([{ path: "notes.txt" }])).toBe("notes.txt");
  expect(toFirstFile([])).toBeNull();
});
