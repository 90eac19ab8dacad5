import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { recoverRestore, restoringPath } from "./restore.ts";

let folder: string;
let target: string;
let journal: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restore-"));
  target = join(folder, "store.db");
  journal = `${target}.restore.json`;
  writeFileSync(restoringPath(target), "verified copy");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each<[string, () => void, RegExp, boolean]>([
  ["is a folder", () => mkdirSync(journal), /EISDIR/, false],
  ["is a link to itself", () => symlinkSync(journal, journal), /ELOOP/, false],
  [
    "may not be read",
    () => {
      writeFileSync(journal, "{}");
      chmodSync(journal, 0);
    },
    /EACCES/,
    true,
  ],
])("C29 keeps the verified copy and refuses to start while the journal %s", (_, spoil, reason, isOpenToRoot) => {
  if (isOpenToRoot && process.getuid?.() === 0) return;
  spoil();
  expect(() => recoverRestore(target)).toThrow(reason);
  expect(() => recoverRestore(target)).toThrow(/interrupted restore cannot be finished/);
  expect(readFileSync(restoringPath(target), "utf8")).toBe("verified copy");
  expect(existsSync(target)).toBe(false);
});

it("C29 removes the copy only if no journal exists", () => {
  expect(recoverRestore(target)).toMatch(/the store is as it was/);
  expect(existsSync(restoringPath(target))).toBe(false);
});

it("C29 finishes a restore whose journal is damaged", () => {
  writeFileSync(journal, "{");
  expect(recoverRestore(target)).toMatch(/is finished/);
  expect(readFileSync(target, "utf8")).toBe("verified copy");
});
