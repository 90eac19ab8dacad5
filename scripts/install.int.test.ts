import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Files that a first start reads before anything is installed. */
const NEEDED = ["scripts", "package.json", "package-lock.json", ".npmrc"];
/** Timeout in ms: npm alone takes some seconds on a busy machine. */
const TIMEOUT_MS = 120_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "install-"));
  for (const name of NEEDED) cpSync(join(root, name), join(folder, name), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the first start of an empty checkout, with an empty npm cache. */
function firstStart(env: Record<string, string>): Promise<{ code: number; output: string }> {
  const settings: NodeJS.ProcessEnv = {
    NODE_ENV: "production",
    PATH: process.env.PATH ?? "",
    HOME: folder,
    npm_config_cache: join(folder, "npm-cache"),
    ...env,
  };
  return new Promise((resolve) => {
    execFile(process.execPath, ["scripts/start.mjs"], { cwd: folder, env: settings }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

/** Returns the folders of the packages in the lockfile. */
function packagesOf(place: string): string[] {
  const lock = JSON.parse(readFileSync(join(place, "package-lock.json"), "utf8"));
  return Object.keys(lock.packages).filter((path) => path !== "");
}

/** Creates empty packages, and npm's list of all in the lockfile. */
function placePackages(paths: string[]): void {
  for (const path of paths) mkdirSync(join(folder, path), { recursive: true });
  cpSync(join(folder, "package-lock.json"), join(folder, "node_modules", ".package-lock.json"));
}

test("reinstalls a missing package that npm's list names", { timeout: TIMEOUT_MS }, async () => {
  placePackages(packagesOf(folder).filter((path) => path !== "node_modules/zod"));
  const { code, output } = await firstStart({
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_fetch_retries: "0",
  });
  expect([code, output]).toEqual([1, expect.stringContaining("Installing packages ...")]);
});

test("reports the current step and the registry on a first start without a network", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { code, output } = await firstStart({
    npm_config_registry: "http://127.0.0.1:9/",
    npm_config_fetch_retries: "0",
  });
  expect(code).toBe(1);
  expect(output).toContain("Installing packages ...");
  // At the end, below npm's output.
  expect(output.trimEnd().split("\n").at(-1)).toMatch(/^The npm registry is unreachable/);
});

test("reports a missing npm on the first start", { timeout: TIMEOUT_MS }, async () => {
  const { code, output } = await firstStart({ PATH: dirname(process.execPath) });
  expect([code, output]).toEqual([1, expect.stringContaining("npm was not found.")]);
});

test("continues with another Node.js of the same major version, and asks for one otherwise", {
  timeout: TIMEOUT_MS,
}, async () => {
  // All packages exist except the one with the program.
  placePackages(packagesOf(folder));
  const pin = (version: string) => {
    const own = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    own.dependencies.node = version;
    writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  };
  const [major] = process.versions.node.split(".");
  pin(`${major}.999.0`);
  // It passed the version check, and failed at the next missing file.
  expect((await firstStart({})).output).toContain("@next/env");
  pin("999.0.0");
  expect(await firstStart({})).toEqual({
    code: 1,
    output: expect.stringContaining("Install any Node.js 999 and start"),
  });
});
