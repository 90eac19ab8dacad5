import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { dataFolderCheck } from "./data-folder.ts";

const program = fileURLToPath(new URL("../../../test/fixtures/process/data-folder.ts", import.meta.url));
const MIB = 1024 * 1024;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "data-folder-"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const hasDisks = spawnSync("bwrap", ["--dev-bind", "/", "/", "--tmpfs", tmpdir(), "--", "true"]).status === 0;
/** Checks the folder while it is on a separate disk. */
function lookOn(mount: string[], freeMinBytes: number, fillBytes = 0): string[] {
  const args = ["--dev-bind", "/", "/", ...mount, "--", process.execPath, program, folder];
  const out = execFileSync("bwrap", [...args, String(freeMinBytes), String(fillBytes)], { encoding: "utf8" });
  return out.trim().split("\n");
}
const sized = (bytes: number) => ["--size", String(bytes), "--tmpfs", folder];

describe.runIf(hasDisks)("a separate disk", () => {
  it.each([
    ["is full", 8 * MIB, 0, 64 * MIB, /ENOSPC/],
    ["is full to the last byte", MIB, 0, 2 * MIB, /ENOSPC/],
    ["has less room than is needed", 8 * MIB, 4 * MIB, 6 * MIB, /bytes are free/],
  ] as const)("C35 fails while it %s, and recovers with free space", (_, bytes, freeMin, fill, reason) => {
    const [before, full, after] = lookOn(sized(bytes), freeMin, fill);
    expect([before, after]).toEqual(["ok", "ok"]);
    expect(full).toMatch(reason);
    expect(full).toContain(`The data folder ${folder} is not writable`);
  });

  it("C35 fails if it is smaller than required", () => {
    expect(lookOn(sized(4 * MIB), 16 * MIB)).toEqual([expect.stringMatching(/bytes are free/)]);
  });

  it("C35 fails if it is read-only", () => {
    expect(lookOn(["--ro-bind", folder, folder], 0)).toEqual([expect.stringMatching(/EROFS|read-only/)]);
  });
});

test("C35 accepts a writable folder and leaves no file in it", async () => {
  await dataFolderCheck(folder, { freeMinBytes: 0 })();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["is gone", () => rmSync(folder, { recursive: true }), /ENOENT/],
  [
    "is a file",
    () => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "");
    },
    /ENOTDIR/,
  ],
])("C35 fails for a folder that %s", async (_, spoil, reason) => {
  const check = dataFolderCheck(folder, { everyMs: 0, freeMinBytes: 0 });
  await check();
  spoil();
  await expect(check()).rejects.toThrow(reason);
});

test.each([
  ["", []],
  ["with the folders above it", ["var", "millrace"]],
])("C35 creates a missing data folder for its owner only %s", async (_, below) => {
  rmSync(folder, { recursive: true });
  const missing = join(folder, ...below);
  await dataFolderCheck(missing, { freeMinBytes: 0 })();
  expect(statSync(missing).mode & 0o777).toBe(0o700);
  expect(readdirSync(missing)).toEqual([]);
});

test("C35 creates the data folder as soon as it is possible", async () => {
  const above = join(folder, "disk");
  writeFileSync(above, "");
  const check = dataFolderCheck(join(above, "data"), { everyMs: 0, freeMinBytes: 0 });
  await expect(check()).rejects.toThrow(/is not writable: ENOTDIR/);
  rmSync(above);
  await check();
});

test("C35 fails for a folder that no one may write to", async () => {
  await expect(dataFolderCheck("/proc", { freeMinBytes: 0 })()).rejects.toThrow(/is not writable/);
});

test("C35 writes once for a thousand checks in a row", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const check = dataFolderCheck(folder, { everyMs: 5000, freeMinBytes: 0 });
  await Promise.all(Array.from({ length: 1000 }, check));
  rmSync(folder, { recursive: true });
  await check();
  vi.advanceTimersByTime(4999);
  await check();
  vi.advanceTimersByTime(1);
  await expect(check()).rejects.toThrow(/ENOENT/);
  await expect(check()).rejects.toThrow(/ENOENT/);
});
