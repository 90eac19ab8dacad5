/** Files that only a builder can turn into what a browser runs. */
const SOURCE = /\.(?:tsx?|mts|cts|jsx|vue|svelte|astro|scss|sass|less|styl)$/i;
/** What declares a project for a builder. */
const PROJECT_FILES: ReadonlySet<string> = new Set(["package.json", "tsconfig.json", "jsconfig.json"]);
const CONFIG = /^(?:vite|rollup|rolldown|webpack|postcss|tailwind|babel)\.config\.\w+$/;
/** The queries of the app's data: they are read by the server and are no part of what a browser gets. */
const BINDINGS = "bindings/";

/** `static`: the files are served as they are, save those of `isServed`. */
export type AppKind = "static" | "built";

/** Whether an app has to be built before it can be served, by the paths of its files. */
export function kindOf(paths: Iterable<string>): AppKind {
  for (const path of paths) {
    if (!path.startsWith(BINDINGS) && needsBuild(path)) return "built";
  }
  return "static";
}

/** True for a file of a static app that its viewers get. */
export function isServed(path: string): boolean {
  return !path.startsWith(BINDINGS);
}

function needsBuild(path: string): boolean {
  return SOURCE.test(path) || PROJECT_FILES.has(path) || CONFIG.test(path);
}
