import { existsSync } from "node:fs";
import { type Browser, chromium } from "@playwright/test";

/** Starts a Chromium as users have it: CHROMIUM_PATH, or the system's. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? ["/usr/bin/chromium"].find((path) => existsSync(path)),
    // Chromium refuses its sandbox for root, the usual user of a container.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });
}
