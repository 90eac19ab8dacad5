import { readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "./support/paths.mjs";

/**
 * Runs after `npm install`. npm leaves the binaries of other systems out of the lockfile if its registry does not offer
 * them, and `npm ci` then rejects the lockfile, on every system. This adds the facts that follow from their names and
 * from the packages that require them; npm downloads one only if system and processor match.
 */
const SYSTEM =
  /[-/](aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-([a-z0-9]+?)(?:-(musl|gnu|gnueabihf|msvc))?$/;

const file = inRoot("package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));
const added = {};
for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`;
    const [, os, cpu, libc] = SYSTEM.exec(name) ?? [];
    if (lock.packages[path] || !os) continue;
    added[path] = {
      version,
      cpu: [cpu],
      ...(dev && { dev }),
      ...(libc === "musl" && { libc: [libc] }),
      optional: true,
      os: [os],
    };
  }
}
const packages = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => a.localeCompare(b, "en"));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
console.log(`${Object.keys(added).length} packages of other systems added to package-lock.json`);
