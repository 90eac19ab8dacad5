import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const sources = globSync("lib/**/*.ts", { exclude: (path) => path.endsWith(".test.ts") }).map((file) => ({
  file: file.replaceAll("\\", "/"),
  text: readFileSync(file, "utf8"),
}));
const find = (pattern: RegExp) => sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name]) => name));

it("declares every member of the server's context, and one module creates each", () => {
  const index = sources.find(({ file }) => file === "lib/features/instance/server-context.ts")?.text ?? "";
  const declared = [...index.matchAll(/^ {4}(\w+): /gm)].map(([, name]) => name);
  expect(declared.length).toBeGreaterThan(40);
  expect(find(/serverMember\(\s*"(\w+)"/g).sort()).toEqual(declared.sort());
});

it("keeps no other state of the process on globalThis", () => {
  const names = find(/Symbol\.for\(\s*[`"]millrace\.([^`"]+)/g);
  // "app" is the runtime of a page, and "app-error" marks errors.
  expect(names.sort()).toEqual(["app", "app-error", "server-context"]);
});
