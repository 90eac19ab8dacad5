import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { trimPackages } from "./support/trim.mjs";

test("keeps files that are read and removes the rest", () => {
  const root = mkdtempSync(join(tmpdir(), "trim-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const system = `${process.platform}-${process.arch}`;
  const kept = [
    "axe-core/axe.js",
    "better-sqlite3/lib/index.js",
    "bintrees/index.js",
    "sql-formatter/dist/esm/index.js",
    `better-sqlite3/prebuilds/${system}.node`,
    `node-${system}/bin/node`,
    "@a/b/dist/index.js",
    "@a/b/dist/world.map",
    "@a/b/src/index.js",
    "@a/b/LICENSE.md",
    "@a/b/dist/not-a-readme.md",
    "@ai-sdk/openai/dist/index.js",
    "ai/dist/index.js",
    "lucide-react/dist/esm/lucide-react.mjs",
    "next/dist/compiled/next-server/app-page.runtime.prod.js",
    "prettier/plugins/html.mjs",
    "prettier/standalone.mjs",
    "vega/build/vega.module.js",
  ];
  const gone = [
    "better-sqlite3/deps/sqlite3.c",
    "better-sqlite3/src/addon.cpp",
    "axe-core/locales/de.json",
    "bintrees/test/test.js",
    "sql-formatter/dist/sql-formatter.min.js",
    "better-sqlite3/prebuilds/plan9-x64.node",
    `node-${system}/include/node/v8.h`,
    "@a/b/dist/index.js.map",
    "@a/b/README.md",
    "@a/b/CHANGELOG.md",
    "@ai-sdk/openai/src/index.ts",
    "ai/docs/index.md",
    "lucide-react/dynamic.d.ts",
    "vega/build/vega.min.js",
    "prettier/plugins/markdown.mjs",
    "ai/src/index.ts",
    "@a/b/dist/index.d.cts",
    "next/dist/compiled/react-dom-experimental/index.js",
    "next/dist/compiled/next-server/app-page.runtime.dev.js",
    "next/dist/compiled/next-server/app-page-experimental.runtime.prod.js",
    "@a/b/dist/index.d.ts.map",
  ];
  for (const file of [...kept, ...gone]) {
    mkdirSync(dirname(join(root, "node_modules", file)), { recursive: true });
    writeFileSync(join(root, "node_modules", file), "");
  }
  trimPackages(root);
  const left = readdirSync(join(root, "node_modules"), { recursive: true, withFileTypes: true });
  const files = left.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(files.sort()).toEqual(kept.map((file) => join(root, "node_modules", file)).sort());
});
