import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { trimPackages } from "./support/trim.mjs";

test("what is read stays, the rest goes", () => {
  const root = mkdtempSync(join(tmpdir(), "trim-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const system = `${process.platform}-${process.arch}`;
  const kept = [
    "better-sqlite3/lib/index.js",
    `better-sqlite3/prebuilds/${system}.node`,
    `node-${system}/bin/node`,
    "@a/b/dist/index.js",
    "@a/b/dist/world.map",
    "@a/b/src/index.js",
    "@ai-sdk/openai/dist/index.js",
    "ai/dist/index.js",
  ];
  const gone = [
    "better-sqlite3/deps/sqlite3.c",
    "better-sqlite3/src/addon.cpp",
    "better-sqlite3/prebuilds/plan9-x64.node",
    `node-${system}/include/node/v8.h`,
    "@a/b/dist/index.js.map",
    "@ai-sdk/openai/src/index.ts",
    "ai/docs/index.md",
    "ai/src/index.ts",
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
