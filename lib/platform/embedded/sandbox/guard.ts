import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { transform as transformStyle } from "lightningcss";
import type { Plugin } from "vite";
import { CARRIED_WORDS, type CarriedMode, carriedFile, isBare } from "./carried.ts";
import { APP_FOLDER, CACHE_FOLDER, CARRIED_FOLDER, PACKAGES_ENTRY, PACKAGES_FOLDER } from "./places.ts";
import type { Problem } from "./wire.ts";

/** A mistake in the app, reported with a clearer message than the builder's. */
export class AppProblem extends Error {
  readonly problem: Problem;
  /** The same position in the builder's format, the only field that it copies from a plugin's error. */
  readonly loc: { file: string; line: number; column: number } | undefined;
  /** Marks the position as one in the original source, so that the dev server does not apply the source map again. */
  readonly pluginCode = "APP_PROBLEM";

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
    const { path, line, column } = problem;
    if (path !== null && line !== null) this.loc = { file: join(APP_FOLDER, path), line, column: column ?? 1 };
  }
}

/** Modules of the builder: generated helpers, and those that it serves for hot reload. */
const OWN = /^\0|^\/@(?:vite|react-refresh|id)\b|^virtual:|\/node_modules\/(?:vite|@vitejs\/plugin-react)\/dist\//;

/** Folders that modules are read from. In the last one, Vite caches packages that it prepares for a dev server. */
const FOLDERS = [APP_FOLDER, CARRIED_FOLDER, PACKAGES_FOLDER, CACHE_FOLDER];

/**
 * Resolves imports of packages to the bundled ones or to those of a registry, and rejects every other package and every
 * file outside the app. The sandbox has no other files: this check is for the message.
 * @param carriedUrl URL of the bundled packages in a browser, below the base; null: they become part of the build
 */
export function guard(mode: CarriedMode, carriedUrl: string | null): Plugin {
  const hasPackages = existsSync(PACKAGES_ENTRY);
  return {
    name: "millrace:guard",
    enforce: "pre",
    async resolveId(source, importer, options) {
      const from = importer?.replace(/[?#].*$/, "");
      if (from?.startsWith(`${CARRIED_FOLDER}/`)) return null;
      const specifier = source.replace(/\?.*$/, "");
      const file = carriedFile(specifier);
      if (file) {
        return carriedUrl === null
          ? { id: `${CARRIED_FOLDER}/${mode}/${file}`, moduleSideEffects: false }
          : { id: `${carriedUrl}${file}`, external: true };
      }
      if (OWN.test(source) || from === undefined || OWN.test(from)) return null;
      if (from.startsWith(`${PACKAGES_FOLDER}/`)) return null;
      // In a style or a page, a name without a dot is a relative file, and Vite reports a missing one with its
      // position.
      if (!from.startsWith(`${APP_FOLDER}/`) || /\.(?:css|html)$/.test(from)) return null;
      if (!isBare(specifier)) {
        const found = await this.resolve(source, importer, { ...options, skipSelf: true });
        // URLs are fetched by the browser, and its policy may reject them.
        if (found || !/^[./]/.test(specifier)) return found;
        throw new AppProblem({ ...(await placeOf(from, source)), message: `File “${specifier}” not found.` });
      }
      const found = hasPackages && (await this.resolve(source, PACKAGES_ENTRY, { ...options, skipSelf: true }));
      if (found) return found;
      throw new AppProblem({
        ...(await placeOf(from, source)),
        message: hasPackages
          ? `“${specifier}” is not installed. Run npm install with its name in a clone, and commit package.json and package-lock.json.`
          : `“${specifier}” can't be imported. Apps can import ${CARRIED_WORDS}, and files of the app.`,
      });
    },
    load(id) {
      const file = id.replace(/[?#].*$/, "");
      if (OWN.test(id) || FOLDERS.some((folder) => file.startsWith(`${folder}/`))) return null;
      if (!file.startsWith("/")) return null;
      throw new AppProblem({ path: null, line: null, column: null, message: `“${file}” is outside the app.` });
    },
    transform: {
      filter: { id: /\.(?:json|css)$/ },
      handler(code, id) {
        const problem = id.endsWith(".css") ? problemOfStyle(code, id) : problemOfJson(code);
        if (problem) throw new AppProblem({ path: relative(APP_FOLDER, id), ...problem });
        return null;
      },
    },
  };
}

/** The builder does not name the invalid JSON file. */
function problemOfJson(code: string): Omit<Problem, "path"> | null {
  try {
    JSON.parse(code);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const at = /position (\d+)/.exec(message)?.[1];
    const before = at === undefined ? null : code.slice(0, Number(at)).split("\n");
    return { line: before?.length ?? null, column: before ? (before.at(-1)?.length ?? 0) + 1 : null, message };
  }
}

/** The builder concatenates all styles first, so an extra brace would be reported in the next file. */
function problemOfStyle(code: string, filename: string): Omit<Problem, "path"> | null {
  try {
    transformStyle({ code: Buffer.from(code), filename });
    return null;
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number; column: number } };
    return { line: loc?.line ?? null, column: loc?.column ?? null, message };
  }
}

/** Returns the position where a file names a package. */
async function placeOf(file: string, specifier: string): Promise<Omit<Problem, "message">> {
  const path = relative(APP_FOLDER, file);
  const text = await readFile(file, "utf8").catch(() => "");
  const name = specifier.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = new RegExp(`(?:from|import|require)[\\s(]*(["'\`])${name}\\1`).exec(text);
  if (!found) return { path, line: null, column: null };
  const before = text.slice(0, found.index + found[0].length - specifier.length - 2);
  const line = before.split("\n").length;
  return { path, line, column: before.length - before.lastIndexOf("\n") };
}
