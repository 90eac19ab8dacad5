import { existsSync } from "node:fs";
import { canInstallPackages, installPackages } from "./debian.mjs";
import { inRoot } from "./paths.mjs";
import { run, ScriptError } from "./run.mjs";

/** The same engine without a window, which halves the time of the tests. */
const SHELL = "chromium-headless-shell";
const SHELL_PATH = `/usr/bin/${SHELL}`;
const SYSTEM_PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * Finds a browser for the tests, or downloads one: the configured one, Debian's shell if this user may install it, the
 * system's, or Playwright's.
 * @returns {Promise<string>} path of the program
 */
export async function ensureChromium() {
  return (
    findOf([process.env.CHROMIUM_PATH, SHELL_PATH]) ??
    (await installFromDebian(SHELL)) ??
    (await find()) ??
    (await installFromDebian("chromium")) ??
    (await installFromPlaywright())
  );
}

async function find() {
  const { chromium } = await import("@playwright/test");
  return findOf([SHELL_PATH, ...SYSTEM_PATHS, chromium.executablePath()]);
}

function findOf(paths) {
  return paths.find((path) => path && existsSync(path));
}

/** Returns undefined if this user may not install, or if there is still no browser. */
async function installFromDebian(name) {
  if (!canInstallPackages()) return undefined;
  await installPackages(name);
  return find();
}

async function installFromPlaywright() {
  console.log("Installing Chromium (playwright install chromium) ...");
  await run(process.execPath, [inRoot("node_modules", "playwright", "cli.js"), "install", "chromium"]);
  const found = await find();
  if (!found) throw new ScriptError("The tests require Chromium. Install it, or set CHROMIUM_PATH.");
  return found;
}
