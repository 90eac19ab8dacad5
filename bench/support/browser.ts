import { existsSync } from "node:fs";
import { type Browser, chromium } from "@playwright/test";

/** A Chromium that shows what people's does: CHROMIUM_PATH, or the system's own. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? ["/usr/bin/chromium"].find((path) => existsSync(path)),
    // Chromium refuses its own sandbox for root, which is what a container's user often is.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}
