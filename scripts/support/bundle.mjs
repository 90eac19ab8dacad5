import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { inRoot, ROOT } from "./paths.mjs";

/** Imports one of the product's modules, which use the alias `@/` that Node alone does not know. */
export async function importBundled(source) {
  const esbuild = await import("esbuild");
  const outfile = inRoot("node_modules", ".cache", `${basename(source, ".ts")}.mjs`);
  await esbuild.build({
    entryPoints: [inRoot(source)],
    outfile,
    alias: { "@": ROOT, "server-only": inRoot("node_modules", "server-only", "empty.js") },
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}
