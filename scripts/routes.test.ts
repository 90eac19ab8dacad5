import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { generateRoutes, toPath } from "./routes.mjs";

test.each([
  ["app/api/health/route.ts", "/api/health"],
  ["app/api/workspaces/[workspaceId]/connectors/route.ts", "/api/workspaces/{workspaceId}/connectors"],
  ["app/api/(internal)/jobs/route.ts", "/api/jobs"],
  ["app/api/[...path]/route.ts", "/api/{path...}"],
  ["app/api/auth/[[...step]]/route.ts", "/api/auth/{step...}"],
  ["app/api/openapi.json/route.ts", "/api/openapi.json"],
])("serves %s at %s", (file, path) => {
  expect(toPath(file)).toBe(path);
});

test("lists all route files in order, ignores others, and keeps an unchanged list", () => {
  const root = mkdtempSync(join(tmpdir(), "routes-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const file of ["b/route.ts", "a/[id]/route.ts", "a/route.ts", "a/page.ts"]) {
    mkdirSync(join(root, "app/api", file, ".."), { recursive: true });
    writeFileSync(join(root, "app/api", file), "");
  }
  generateRoutes(root);
  const output = join(root, ".generated/routes.ts");
  const text = readFileSync(output, "utf8");
  expect([...text.matchAll(/path: "(.+)", load: (r\d)/g)].map((match) => match.slice(1))).toEqual([
    ["/api/a/{id}", "r0"],
    ["/api/a", "r1"],
    ["/api/b", "r2"],
  ]);
  expect(text).toContain('import * as r0 from "../app/api/a/[id]/route";');
  const { mtimeMs } = statSync(output);
  generateRoutes(root);
  expect(statSync(output).mtimeMs).toBe(mtimeMs);
});
