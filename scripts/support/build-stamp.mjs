import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inRoot, ROOT } from "./paths.mjs";

/** All inputs of a build. */
const SOURCES = [
  "app",
  "components",
  "emails",
  "inngest",
  "lib",
  "public",
  "scripts/build.mjs",
  "scripts/routes.mjs",
  "scripts/support/command.mjs",
  "scripts/support/precompress.mjs",
  "instrumentation.ts",
  "proxy.ts",
  "next.config.ts",
  "tsconfig.json",
  "package.json",
  "package-lock.json",
];
/** Build folder, as in next.config.ts. */
export const BUILT = inRoot(process.env.BENCH_BUILD === "on" ? ".next-bench" : ".next");
export const STAMP = join(BUILT, "millrace-build");

/** Returns whether the last build finished and matches the current sources. */
export function isBuildCurrent() {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === hashSources();
}

export function clearBuildStamp() {
  rmSync(STAMP, { force: true });
}

/** @param {string} hash of the sources before the build, so that a change during it makes the next start build again */
export function writeBuildStamp(hash) {
  writeFileSync(STAMP, hash);
}

export function hashSources(root = ROOT) {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    for (const file of filesOf(root, source)) {
      const content = readFileSync(join(root, file));
      hash.update(`${file}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest("hex");
}

function filesOf(root, source) {
  const found = statSync(join(root, source), { throwIfNoEntry: false });
  if (!found) return [];
  if (!found.isDirectory()) return [source];
  return readdirSync(join(root, source), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (isIgnored(entry.name) ? [] : filesOf(root, join(source, entry.name))));
}

/** Tests are not part of a build. */
function isIgnored(name) {
  return /\.test\.tsx?$/.test(name) || name.startsWith(".");
}
