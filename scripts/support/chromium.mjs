import { existsSync } from "node:fs";
import { canInstallPackages, installPackages } from "./debian.mjs";
import { inRoot } from "./paths.mjs";
import { run, ScriptError } from "./run.mjs";

const SYSTEM_PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

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
  await installPackages("chromium");
  return find();
}

async function installFromPlaywright() {
  console.log("Installing Chromium (playwright install chromium) ...");
  await run(process.execPath, [inRoot("node_modules", "playwright", "cli.js"), "install", "chromium"]);
  const found = await find();
  if (!found)
    throw new ScriptError("The tests need Chromium. Install it, or set CHROMIUM_PATH to a program of your own.");
  return found;
}
