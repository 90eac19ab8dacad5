import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withLimits } from "./limited";

const MIB = 1024 * 1024;

/** Runs a program of one line with limits; returns its exit code and last words. */
function run(program: string, limits: Parameters<typeof withLimits>[1]) {
  const { command, args } = withLimits([process.execPath, "-e", program], limits);
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("a process with limits", () => {
  test("gets its arguments as they are", () => {
    expect(run("console.log('a \"b\" $0')", { dataMib: 1024 }).stdout).toBe('a "b" $0\n');
  });

  // Only Linux counts all private memory.
  test.runIf(process.platform === "linux")("cannot take more memory than its limit", () => {
    const program = "const held = []; for (let n = 0; n < 8; n += 1) held.push(Buffer.alloc(64 * 1024 ** 2));";
    expect(run(program, { dataMib: 512 }).status).not.toBe(0);
    expect(run(program, { dataMib: 1536 }).status).toBe(0);
  });

  test("cannot write a file beyond its limit", () => {
    const folder = mkdtempSync(join(tmpdir(), "limited-"));
    const path = join(folder, "file");
    const program = `require("node:fs").writeFileSync(${JSON.stringify(path)}, Buffer.alloc(3 * 1024 ** 2))`;
    expect(run(program, { dataMib: 1024, fileBytes: 2 * MIB }).stderr).toContain("EFBIG");
    expect(statSync(path).size).toBe(2 * MIB);
    rmSync(folder, { recursive: true });
  });
});
