import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { dataFolderCheck } from "./data-folder.ts";

const program = fileURLToPath(new URL("./testing/data-folder.ts", import.meta.url));
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
/** Looks at the folder as a disk of its own. */
function lookOn(mount: string[], freeMinBytes: number, fillBytes = 0): string[] {
  const args = ["--dev-bind", "/", "/", ...mount, "--", process.execPath, program, folder];
  const out = execFileSync("bwrap", [...args, String(freeMinBytes), String(fillBytes)], { encoding: "utf8" });
  return out.trim().split("\n");
}
const sized = (bytes: number) => ["--size", String(bytes), "--tmpfs", folder];

describe.runIf(hasDisks)("a disk of its own", () => {
  it.each([
    ["is full", 8 * MIB, 0, 64 * MIB, /ENOSPC/],
    ["is full to the last byte", MIB, 0, 2 * MIB, /ENOSPC/],
    ["has less room than is needed", 8 * MIB, 4 * MIB, 6 * MIB, /bytes are free/],
  ] as const)("C35 fails while it %s, and is well once there is room", (_, bytes, freeMin, fill, reason) => {
    const [before, full, after] = lookOn(sized(bytes), freeMin, fill);
    expect([before, after]).toEqual(["ok", "ok"]);
    expect(full).toMatch(reason);
    expect(full).toContain(`The data folder ${folder} cannot be written to`);
  });

  it("C35 fails where it is smaller than what is needed", () => {
    expect(lookOn(sized(4 * MIB), 16 * MIB)).toEqual([expect.stringMatching(/bytes are free/)]);
  });

  it("C35 fails on a disk that is read-only", () => {
    expect(lookOn(["--ro-bind", folder, folder], 0)).toEqual([expect.stringMatching(/EROFS|read-only/)]);
  });
});

test("C35 a folder that can be written to is well, and nothing is left in it", async () => {
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
])("C35 a folder that %s fails", async (_, spoil, reason) => {
  const check = dataFolderCheck(folder, { freeMinBytes: 0 });
  spoil();
  await expect(check()).rejects.toThrow(reason);
});

test("C35 a folder that nobody may write to fails", async () => {
  await expect(dataFolderCheck("/proc", { freeMinBytes: 0 })()).rejects.toThrow(/cannot be written to/);
});

test("C35 a thousand looks within the time of one write once", async () => {
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
