import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Sources, handbooks and second forms of modules, which packages carry beside what is run here. */
const UNREAD = [
  "@base-ui/react/docs",
  "@modelcontextprotocol/sdk/dist/cjs",
  "better-sqlite3/deps",
  "better-sqlite3/src",
  "lucide-react/dist/cjs",
  "lucide-react/dist/lucide-react.prefixed.d.ts",
  "lucide-react/dist/lucide-react.suffixed.d.ts",
  "mongodb/src",
  "next/dist/docs",
  "vega-lite/src",
  "zod/src",
];

/**
 * Takes out of node_modules what nothing here reads, a fifth of all: the maps of packages' sources, what one would
 * compile Node.js add-ons with, SQLite's builds for other systems, sources and handbooks.
 * @param {string} root the project's folder
 */
export function trimPackages(root) {
  const packages = join(root, "node_modules");
  for (const file of readdirSync(packages, { recursive: true })) {
    if (/\.(js|mjs|cjs|css|ts|mts|cts)\.map$/.test(file)) rmSync(join(packages, file), { force: true });
  }
  rmSync(join(packages, `node-${process.platform}-${process.arch}`, "include"), { recursive: true, force: true });
  const sdk = join(packages, "@ai-sdk");
  const ofSdk = existsSync(sdk) ? readdirSync(sdk).map((name) => join(sdk, name)) : [];
  for (const folder of [join(packages, "ai"), ...ofSdk]) {
    for (const name of ["docs", "src"]) rmSync(join(folder, name), { recursive: true, force: true });
  }
  for (const place of UNREAD) rmSync(join(packages, place), { recursive: true, force: true });
  const prebuilds = join(packages, "better-sqlite3", "prebuilds");
  const own = new RegExp(`^${process.platform}(musl)?-${process.arch}\\.node$`);
  for (const file of existsSync(prebuilds) ? readdirSync(prebuilds) : []) {
    if (!own.test(file)) rmSync(join(prebuilds, file));
  }
}
