import type { FileMark } from "@/components/apps/workbench/file-tree-row";
import type { BindingItem } from "@/lib/features/apps/bindings/schema";
import type { BuildProblem } from "@/lib/features/apps/frame/messages";

/** Labels of binding files, by state. */
const BINDING_MARKS: Record<BindingItem["build"]["state"], FileMark> = {
  missing: { word: "new", isBad: false },
  queued: { word: "queued", isBad: false },
  building: { word: "building", isBad: false },
  ready: { word: "ready", isBad: false },
  error: { word: "failed", isBad: true },
};
/** Label of a file that the preview cannot compile. */
const PROBLEM_MARK: FileMark = { word: "error", isBad: true };

/** Files to open first, in order of preference. */
const FIRST_FILES = ["src/App.tsx", "src/main.tsx", "index.html", "README.md"];

/** Returns the labels of files by path: a compile error before the state of a binding. */
export function toFileMarks(
  bindings: readonly Pick<BindingItem, "path" | "build">[],
  problems: readonly BuildProblem[],
): ReadonlyMap<string, FileMark> {
  return new Map<string, FileMark>([
    ...bindings.map(({ path, build }) => [path, BINDING_MARKS[build.state]] as const),
    ...problems.flatMap(({ path }) => (path === null ? [] : [[path, PROBLEM_MARK] as const])),
  ]);
}

/** Returns the compile errors of a file; one without a place is at its first line. */
export function problemsOfFile(problems: readonly BuildProblem[], file: string | null) {
  return problems
    .filter(({ path }) => path === file)
    .map(({ line, column, message }) => ({ line: line ?? 1, column, message }));
}

/** Returns the file to show before one was opened; null without files. */
export function toFirstFile(files: readonly { path: string }[]): string | null {
  return FIRST_FILES.find((path) => files.some((each) => each.path === path)) ?? files[0]?.path ?? null;
}
