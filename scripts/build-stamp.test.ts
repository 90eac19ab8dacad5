import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hashSources } from "./support/build-stamp.mjs";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "stamp-"));
  write("app/page.tsx", "a");
  write("lib/platform/db/client.ts", "b");
  write("package-lock.json", "{}");
});
afterEach(() => rmSync(root, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

test("gives the same sources the same hash", () => {
  const before = hashSources(root);
  write("app/page.tsx", "a");
  expect(hashSources(root)).toBe(before);
});

test.each([
  ["a changed source", "lib/platform/db/client.ts", "c"],
  ["a new source", "lib/platform/db/other.ts", ""],
  ["a changed lockfile", "package-lock.json", "{ }"],
  ["a new kind of page", "proxy.ts", ""],
])("%s makes the build stale", (_, file, text) => {
  const before = hashSources(root);
  write(file, text);
  expect(hashSources(root)).not.toBe(before);
});

test("a moved boundary between two files makes the build stale", () => {
  write("app/page.tsx", "ab");
  write("lib/platform/db/client.ts", "");
  const before = hashSources(root);
  write("app/page.tsx", "a");
  write("lib/platform/db/client.ts", "b");
  expect(hashSources(root)).not.toBe(before);
});

test.each(["lib/platform/db/client.test.ts", "e2e/ui/login.spec.ts", "docs/x.md", ".data/secrets.json"])(
  "%s is not part of a build",
  (file) => {
    const before = hashSources(root);
    write(file, "x");
    expect(hashSources(root)).toBe(before);
  },
);
