import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./support/lock.mjs";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
  file = join(folder, "made", "x.lock");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("runs work under one lock in sequence, and tells the second to wait", async () => {
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = withLock(file, async () => {
    log.push("one begins");
    await first.promise;
    log.push("one ends");
  });
  const two = withLock(
    file,
    async () => void log.push("two"),
    () => {
      log.push("two waits");
      first.resolve();
    },
  );
  await Promise.all([one, two]);
  expect(log).toEqual(["one begins", "two waits", "one ends", "two"]);
});

test("releases the lock after the work, also after a failure", async () => {
  await expect(withLock(file, () => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
  expect(existsSync(file)).toBe(false);
});

test("takes over the lock of a dead process", async () => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const abandoned = join(folder, "y.lock");
  writeFileSync(abandoned, String(pid));
  expect(await withLock(abandoned, async () => "done")).toBe("done");
});
