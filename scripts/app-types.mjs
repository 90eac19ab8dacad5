import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { CARRIED } from "../lib/platform/embedded/sandbox/carried.ts";
import { inRoot } from "./support/paths.mjs";

const ENTRY = "index";
const RUNTIME = inRoot("lib", "features", "apps", "runtime", `${ENTRY}.ts`);
export const OUTPUT = inRoot("lib", "features", "apps", "types", "declarations.generated.ts");
/** Modules that apps import, without those that the compiler adds. */
const IMPORTABLE = Object.keys(CARRIED).filter((name) => !name.includes("jsx-"));
/** Packages that apps import beside ours, with the dependencies of each. */
const PACKAGES = ["react", "react-dom", "vega", "vega-embed", "vega-lite"];
/** Packages that check an app on a developer's machine. */
const CHECKERS = ["@types/react", "@types/react-dom", "typescript"];
/** Files that a page of an app imports for their address, or for their styles. */
const ASSETS = ["avif", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"];
/** Start of a declaration, including its comment. */
const START = /^(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?(?:export|import|declare|type|interface)\b/gm;

/**
 * Builds the types of `@millrace/app` as one text, and the versions of an app's packages, as a module. The compiler
 * generates the types from the runtime's source; here they are merged into one file.
 */
export async function makeAppTypes() {
  const modules = await emitDeclarations();
  const { dependencies, devDependencies } = JSON.parse(await readFile(inRoot("package.json"), "utf8"));
  const versionsOf = (names) =>
    Object.fromEntries(names.map((name) => [name, dependencies[name] ?? devDependencies[name]]));
  return [
    "// Made by scripts/app-types.mjs from lib/features/apps/runtime and package.json.",
    "",
    `export const APP_DECLARATIONS = ${toTemplate(toAmbient(modules))};`,
    "",
    `export const IMPORTABLE = ${JSON.stringify(IMPORTABLE)};`,
    "",
    `export const CARRIED_VERSIONS = ${JSON.stringify(versionsOf(PACKAGES), null, 2)};`,
    "",
    `export const CHECKER_VERSIONS = ${JSON.stringify(versionsOf(CHECKERS), null, 2)};`,
    "",
  ].join("\n");
}

/** @returns {Promise<Map<string, string>>} declarations by module name */
async function emitDeclarations() {
  const folder = await mkdtemp(join(tmpdir(), "app-types-"));
  try {
    const options = {
      target: "ES2024",
      lib: ["dom", "dom.iterable", "ES2024"],
      module: "esnext",
      moduleResolution: "bundler",
      strict: true,
      skipLibCheck: true,
      types: [],
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: inRoot("lib", "features", "apps"),
      outDir: join(folder, "out"),
    };
    const project = join(folder, "tsconfig.json");
    await writeFile(project, JSON.stringify({ compilerOptions: options, files: [RUNTIME] }));
    const compiler = inRoot("node_modules", "typescript", "lib", "tsc.js");
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", project, "--listEmittedFiles"]);
    const files = [...stdout.matchAll(/^TSFILE:\s*(.+\.d\.ts)$/gm)].map(([, file]) => file.trim());
    const texts = await Promise.all(files.map(async (file) => [basename(file, ".d.ts"), await readFile(file, "utf8")]));
    return new Map(texts);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the entry's exports, and the declarations that they refer to, as the module that apps import. */
function toAmbient(modules) {
  const parts = new Map([...modules].map(([name, text]) => [name, toParts(name, text)]));
  const entry = parts.get(ENTRY);
  const exported = new Set([
    ...entry.reExported,
    ...[...entry.declared].filter(([, { isExported }]) => isExported).map(([name]) => name),
  ]);
  const known = new Map();
  for (const [module, { declared }] of parts) {
    for (const [name, declaration] of declared) {
      if (known.has(name)) throw new Error(`${name} is declared in ${known.get(name).module} and in ${module}.`);
      known.set(name, { module, ...declaration });
    }
  }
  const wanted = new Set();
  const want = (name) => {
    if (wanted.has(name)) return;
    wanted.add(name);
    for (const word of withoutComments(known.get(name).text).match(/[A-Za-z_$][\w$]*/g) ?? [])
      if (known.has(word)) want(word);
  };
  for (const name of exported) {
    if (!known.has(name)) throw new Error(`${name} is exported and declared nowhere.`);
    want(name);
  }
  const lines = [...known]
    .filter(([name]) => wanted.has(name))
    .map(([name, { text }]) =>
      exported.has(name) ? text.replace(/^(?=(?:type|let|const|function|class|interface)\b)/m, "export ") : text,
    );
  return [
    "// The types of @millrace/app, and of the files that an app can import.",
    "",
    `declare module "@millrace/app" {`,
    indent(lines.join("\n")),
    "  // Nothing else is exported.",
    "  export {};",
    "}",
    "",
    `declare module "*.css" {}`,
    ...ASSETS.map((ending) => `declare module "*.${ending}" {\n  const address: string;\n  export default address;\n}`),
    "",
  ].join("\n");
}

/** Splits a file of the compiler into declarations: each starts at the start of a line, after its comment. */
function toParts(module, text) {
  const declared = new Map();
  const reExported = [];
  const starts = [...text.matchAll(START)].map(({ index }) => index);
  for (const [place, start] of starts.entries()) {
    const part = text.slice(start, starts[place + 1]);
    const bare = withoutComments(part).trim();
    if (bare === "" || bare === "export {};" || bare.startsWith("import ")) continue;
    const list = /^export (?:type )?\{([\w\s,]+)\} from "\.[^"]*";$/.exec(bare);
    if (list) {
      if (/\bas\b/.test(list[1])) throw new Error(`${module} exports something by another name.`);
      reExported.push(...list[1].split(",").map((name) => name.trim()));
      continue;
    }
    const name = /^(?:export )?(?:declare )?(?:type|let|const|function|class|interface) ([\w$]+)/.exec(bare)?.[1];
    if (name === undefined) throw new Error(`${module} declares something in a form that is not known: ${bare}`);
    declared.set(name, {
      isExported: bare.startsWith("export "),
      text: part.trimEnd().replace(/^(?:export )?(?:declare )?(?=(?:type|let|const|function|class|interface)\b)/m, ""),
    });
  }
  return { declared, reExported };
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, "");
}

/** Reduces the compiler's indent of four. */
function indent(text) {
  return text.replace(/^( *)(?=\S)/gm, (_, spaces) =>
    " ".repeat(2 + Math.floor(spaces.length / 4) * 2 + (spaces.length % 4)),
  );
}

function toTemplate(text) {
  return `\`${text.replace(/[\\`]|\$\{/g, "\\$&")}\``;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await writeFile(OUTPUT, await makeAppTypes());
}
