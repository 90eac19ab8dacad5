import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { refuseWhatCannotInstall, toInstallAdvice } from "./support/install-advice.mjs";

/** Lines as npm writes them. */
test.each([
  [
    "npm error code ENOTFOUND\nnpm error errno ENOTFOUND\nnpm error network request to https://r.example/a failed",
    "network",
  ],
  ["npm error code ECONNREFUSED\nnpm error errno ECONNREFUSED", "network"],
  [
    "npm error code ENOSPC\nnpm error syscall write\nnpm error nospc ENOSPC: no space left on device",
    "Free some space",
  ],
  ["npm error code EACCES\nnpm error syscall mkdir\nnpm error path /srv/x/node_modules", "Start as their owner"],
  ["npm error code UNABLE_TO_VERIFY_LEAF_SIGNATURE", "NODE_EXTRA_CA_CERTS"],
  ["npm error code E401\nnpm error Unable to authenticate", "login"],
  ["npm error code EINTEGRITY\nnpm error sha512-x integrity checksum failed", "npm cache clean"],
  ["ENOENT", "npm was not found"],
  ["npm error code EUSAGE\nnpm error `npm ci` can only install", "Fix the error above"],
])("advises what to do for: %s", (output, advice) => {
  expect(toInstallAdvice(output)).toContain(advice);
});

test("reports too little disk space before fetching, with the amount required", () => {
  expect(() => refuseWhatCannotInstall(tmpdir(), 3e8)).toThrow("has 0.3 GB free. The first start needs 1.5 GB");
  expect(() => refuseWhatCannotInstall(tmpdir(), 1e10)).not.toThrow();
});

test.skipIf(process.getuid?.() === 0)("reports another user's folder before fetching", () => {
  const folder = mkdtempSync(join(tmpdir(), "advice-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o500);
  expect(() => refuseWhatCannotInstall(folder)).toThrow(`No write permission for ${folder}`);
});
