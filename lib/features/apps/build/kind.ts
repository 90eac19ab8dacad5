/** Files that need a build before a browser can run them. */
const SOURCE = /\.(?:tsx?|mts|cts|jsx|vue|svelte|astro|scss|sass|less|styl)$/i;
/** Files that declare a project to be built. */
const PROJECT_FILES: ReadonlySet<string> = new Set(["package.json", "tsconfig.json", "jsconfig.json"]);
const CONFIG = /^(?:vite|rollup|rolldown|webpack|postcss|tailwind|babel)\.config\.\w+$/;
/** Queries of the app's data: the server reads them, browsers never get them. */
const BINDINGS = "bindings/";

/** `static`: the files are served unchanged, if `isServed` allows it. */
export type AppKind = "static" | "built";

/** Returns whether an app has to be built before it can be served, by the paths of its files. */
export function kindOf(paths: Iterable<string>): AppKind {
  for (const path of paths) {
    if (!path.startsWith(BINDINGS) && needsBuild(path)) return "built";
  }
  return "static";
}

/** Returns whether viewers of a static app may get a file. */
export function isServed(path: string): boolean {
  return !path.startsWith(BINDINGS);
}

function needsBuild(path: string): boolean {
  return SOURCE.test(path) || PROJECT_FILES.has(path) || CONFIG.test(path);
}
