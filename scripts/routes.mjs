import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./support/paths.mjs";

const OUTPUT = join(".generated", "routes.ts");
const SCHEMAS = join(".generated", "schemas.ts");

/**
 * Writes the lists of all route modules under app/api and of all schema modules under lib, from which the API reference
 * and the access tests are generated. A file is written only if it changes.
 */
export function generateRoutes(root = ROOT) {
  write(join(root, OUTPUT), toModule(filesOf(root, join("app", "api"), (name) => name === "route.ts")));
  write(join(root, SCHEMAS), toSchemas(filesOf(root, "lib", (name) => /^(?:.+-)?schema\.ts$/.test(name))));
}

function filesOf(root, folder, isMeant) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((file) => isMeant(file.split(sep).at(-1)))
    .map((file) =>
      relative(root, join(root, folder, file))
        .split(sep)
        .join("/"),
    )
    .sort(byText);
}

function write(output, text) {
  if (read(output) === text) return;
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, text);
}

/**
 * Returns the path of a route file: `app/api/(group)/things/[thingId]/route.ts` is served at `/api/things/{thingId}`.
 */
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

/** Returns the API's schemas by module: the names of their exports are their names in the reference. */
function toSchemas(files) {
  const imports = files.map((file, index) => `import * as s${index} from "../${file.replace(/\.ts$/, "")}";`);
  const entries = files.map((file, index) => `  { path: ${JSON.stringify(file)}, load: s${index} },`);
  return [
    "// Made by scripts/routes.mjs from the schema files under lib.",
    ...imports,
    "",
    "export const schemaModules: { path: string; load: Record<string, unknown> }[] = [",
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
