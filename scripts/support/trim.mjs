import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * Takes out of node_modules what nothing here reads, a fifth of all: the maps of packages' sources, what one would
 * compile Node.js add-ons with, SQLite's sources and its builds for other systems, and the sources and handbooks that
 * the packages of the ai SDK carry beside what they run.
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
  const sqlite = join(packages, "better-sqlite3");
  for (const folder of ["deps", "src"]) rmSync(join(sqlite, folder), { recursive: true, force: true });
  const prebuilds = join(sqlite, "prebuilds");
  const own = new RegExp(`^${process.platform}(musl)?-${process.arch}\\.node$`);
  for (const file of existsSync(prebuilds) ? readdirSync(prebuilds) : []) {
    if (!own.test(file)) rmSync(join(prebuilds, file));
  }
}
