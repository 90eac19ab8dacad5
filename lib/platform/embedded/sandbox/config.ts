import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import type { InlineConfig, Logger, LogOptions, Plugin } from "vite";
import { BOOT, CARRIED, type CarriedMode } from "./carried.ts";
import { guard } from "./guard.ts";
import { APP_FOLDER, CACHE_FOLDER, CARRIED_FOLDER, PACKAGES_FOLDER } from "./places.ts";

/** Names of files that would let an app configure the builder or run its own code. */
const IGNORED =
  /^(?:(?:vite|vitest|rollup|rolldown|postcss|tailwind|babel)\.config\.\w+|\.postcssrc.*|\.browserslistrc|\.env.*)$/;

type Options = { mode: CarriedMode; base: string; carriedUrl: string | null; onLog: (line: string) => void };

/**
 * Returns the configuration that builds and dev servers share. No file of the app can change it, because a
 * configuration file is a program and loads plugins.
 */
export function commonConfig({ mode, base, carriedUrl, onLog }: Options): InlineConfig {
  return {
    root: APP_FOLDER,
    base,
    mode,
    configFile: false,
    envDir: false,
    cacheDir: CACHE_FOLDER,
    clearScreen: false,
    customLogger: loggerTo(onLog),
    // Set here, so that Vite does not search the app for it.
    css: { postcss: { plugins: [] } },
    define: { "process.env.NODE_ENV": JSON.stringify(mode) },
    plugins: [guard(mode, carriedUrl), boot(mode), react(), optimizer()],
  };
}

/** Inlines the boot script into the page, because a separate script might run after the app's. */
function boot(mode: CarriedMode): Plugin {
  return {
    name: "millrace:boot",
    transformIndexHtml: {
      order: "post",
      async handler() {
        const children = await readFile(join(CARRIED_FOLDER, mode, BOOT), "utf8");
        return [{ tag: "script", children, injectTo: "head-prepend" }];
      },
    },
  };
}

/** Returns messages about files in the app that have no effect. */
export function ignoredFiles(paths: Iterable<string>): string[] {
  const names = [...paths].filter((path) => IGNORED.test(path));
  return names.map((name) => `${name} is ignored. Apps are built with a fixed configuration.`);
}

/** Bundled packages are built already. Others are converted to browser modules by the dev server. */
function optimizer(): Plugin {
  const hasPackages = existsSync(join(PACKAGES_FOLDER, "node_modules"));
  return {
    name: "millrace:optimizer",
    enforce: "post",
    config(config) {
      config.optimizeDeps = hasPackages
        ? { exclude: Object.keys(CARRIED), include: [] }
        : { noDiscovery: true, include: [] };
    },
  };
}

function loggerTo(onLog: (line: string) => void): Logger {
  const warned = new Set<string>();
  const errors = new WeakSet<Error>();
  const say = (message: string) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours of a terminal
    for (const line of message.replace(/\x1b\[[\d;]*m/g, "").split("\n")) if (line.trim() !== "") onLog(line);
  };
  return {
    hasWarned: false,
    info: say,
    warn: say,
    warnOnce(message) {
      if (warned.has(message)) return;
      warned.add(message);
      say(message);
    },
    error(message: string, options?: LogOptions & { error?: Error | null }) {
      if (options?.error) errors.add(options.error);
      say(message);
    },
    clearScreen() {},
    hasErrorLogged: (error) => error instanceof Error && errors.has(error),
  };
}
