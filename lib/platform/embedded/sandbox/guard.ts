import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { transform as transformStyle } from "lightningcss";
import type { Plugin } from "vite";
import { CARRIED_WORDS, type CarriedMode, carriedFile, isBare } from "./carried.ts";
import { APP_FOLDER, CACHE_FOLDER, CARRIED_FOLDER, PACKAGES_ENTRY, PACKAGES_FOLDER } from "./places.ts";
import type { Problem } from "./wire.ts";

/** A mistake in the app, said before the builder says it in its own words. */
export class AppProblem extends Error {
  readonly problem: Problem;
  /** The same place as the builder writes one, which copies nothing else of what a plugin throws. */
  readonly loc: { file: string; line: number; column: number } | undefined;
  /** Says that the place is one of the file as it was written: the dev server would lead it back once more. */
  readonly pluginCode = "APP_PROBLEM";

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
    const { path, line, column } = problem;
    if (path !== null && line !== null) this.loc = { file: join(APP_FOLDER, path), line, column: column ?? 1 };
  }
}

/** Modules of the builder's own: helpers that it writes itself, and what it serves to a browser for hot reload. */
const OWN = /^\0|^\/@(?:vite|react-refresh|id)\b|^virtual:|\/node_modules\/(?:vite|@vitejs\/plugin-react)\/dist\//;

/** What modules are read from. Vite keeps what it makes of packages for a dev server in the last one. */
const FOLDERS = [APP_FOLDER, CARRIED_FOLDER, PACKAGES_FOLDER, CACHE_FOLDER];

/**
 * Leads imports of packages to the carried ones or to those of a registry, and refuses every other package and every file outside of the app. Nothing
 * of anybody's lies there: this is for the words.
 * @param carriedUrl where a browser finds the carried packages, below the base; null: they become part of the build
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
      // In a style or a page, a name without a dot is a file beside it, and what is not there is said with its place.
      if (!from.startsWith(`${APP_FOLDER}/`) || /\.(?:css|html)$/.test(from)) return null;
      if (!isBare(specifier)) {
        const found = await this.resolve(source, importer, { ...options, skipSelf: true });
        // An address is the browser's to fetch, and its policy's to refuse.
        if (found || !/^[./]/.test(specifier)) return found;
        throw new AppProblem({ ...(await placeOf(from, source)), message: `There is no file “${specifier}”.` });
      }
      const found = hasPackages && (await this.resolve(source, PACKAGES_ENTRY, { ...options, skipSelf: true }));
      if (found) return found;
      throw new AppProblem({
        ...(await placeOf(from, source)),
        message: hasPackages
          ? `“${specifier}” is not installed. Add its package to the dependencies of package.json: run npm install with its name in a clone, and commit package.json and package-lock.json.`
          : `“${specifier}” cannot be imported: apps have ${CARRIED_WORDS}. Write it yourself, or copy its file into the app.`,
      });
    },
    load(id) {
      const file = id.replace(/[?#].*$/, "");
      if (OWN.test(id) || FOLDERS.some((folder) => file.startsWith(`${folder}/`))) return null;
      if (!file.startsWith("/")) return null;
      throw new AppProblem({ path: null, line: null, column: null, message: `“${file}” lies outside of the app.` });
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

/** The builder does not say which file of data is broken. */
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

/** The builder puts all styles together first: a brace too many would be the next file's. */
function problemOfStyle(code: string, filename: string): Omit<Problem, "path"> | null {
  try {
    transformStyle({ code: Buffer.from(code), filename });
    return null;
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number; column: number } };
    return { line: loc?.line ?? null, column: loc?.column ?? null, message };
  }
}

/** Where a file names a package. */
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
