import { existsSync } from "node:fs";
import { canInstallPackages, installPackages } from "./debian.mjs";
import { inRoot } from "./paths.mjs";
import { run, ScriptError } from "./run.mjs";

/** The same engine without the window around it, which takes a quarter off the time of the tests. */
const SHELL_PATH = "/usr/bin/chromium-headless-shell";
const SYSTEM_PATHS = [SHELL_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/**
 * Finds a browser for the tests, or fetches one: the system's, Debian's package where this user may install it,
 * Playwright's own.
 * @returns {Promise<string>} path of the program
 */
export async function ensureChromium() {
  return (await find()) ?? (await installFromDebian()) ?? (await installFromPlaywright());
}

async function find() {
  const { chromium } = await import("@playwright/test");
  return [process.env.CHROMIUM_PATH, ...SYSTEM_PATHS, chromium.executablePath()].find(
    (path) => path && existsSync(path),
  );
}

async function installFromDebian() {
  if (!canInstallPackages()) return undefined;
  for (const name of ["chromium-headless-shell", "chromium"]) {
    await installPackages(name);
    const found = await find();
    if (found) return found;
  }
  return undefined;
}

async function installFromPlaywright() {
  console.log("Installing Chromium (playwright install chromium) ...");
  await run(process.execPath, [inRoot("node_modules", "playwright", "cli.js"), "install", "chromium"]);
  const found = await find();
  if (!found)
    throw new ScriptError("The tests need Chromium. Install it, or set CHROMIUM_PATH to a program of your own.");
  return found;
}
