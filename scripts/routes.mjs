import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./support/paths.mjs";

const OUTPUT = join(".generated", "routes.ts");

/**
 * Writes the list of all route modules under app/api, from which the interface's description and the access tests
 * are made. The file is only touched when it changes.
 */
export function generateRoutes(root = ROOT) {
  const folder = join(root, "app", "api");
  const files = readdirSync(folder, { recursive: true })
    .filter((file) => file.split(sep).at(-1) === "route.ts")
    .map((file) => relative(root, join(folder, file)).split(sep).join("/"))
    .sort(byText);
  const output = join(root, OUTPUT);
  const text = toModule(files);
  if (read(output) === text) return;
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, text);
}

/** `app/api/(group)/things/[thingId]/route.ts` is served at `/api/things/{thingId}`. */
export function toPath(file) {
  const parts = file.split("/").slice(1, -1);
  const visible = parts.filter((part) => !/^\(.*\)$/.test(part));
  return `/${visible.map((part) => part.replace(/^\[\[?\.\.\.(.+?)\]?\]$/, "{$1...}").replace(/^\[(.+)\]$/, "{$1}")).join("/")}`;
}

function toModule(files) {
  const imports = files.map((file, index) => `import * as r${index} from "../${file.replace(/\.ts$/, "")}";`);
  const entries = files.map((file, index) => `  { path: ${JSON.stringify(toPath(file))}, load: r${index} },`);
  return [
    "// Made by scripts/routes.mjs from the files under app/api.",
    ...imports,
    "",
    "export const routeModules: { path: string; load: Record<string, unknown> }[] = [",
    ...entries,
    "];",
    "",
  ].join("\n");
}

function byText(a, b) {
  return a < b ? -1 : Number(a > b);
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) generateRoutes();
