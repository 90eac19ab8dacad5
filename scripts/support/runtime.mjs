import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { withLock } from "./lock.mjs";
import { inRoot, lockPath } from "./paths.mjs";
import { run, ScriptError } from "./run.mjs";

/** npm writes it last, so it is also the sign that an installation was not cut off. */
const INSTALLED_LIST = inRoot("node_modules", ".package-lock.json");
export const PINNED_NODE = inRoot("node_modules", "node", "bin", "node");

/**
 * Makes the installation complete and goes on under the pinned Node.js. Under any other version it starts the same
 * script again under the pinned one, and ends with that one's code: it does not return then.
 * @param {string} script path of the calling script
 */
export async function ensureRuntime(script) {
  await ensureInstalled();
  ensurePinnedNode();
  if (process.version === `v${pinnedVersion()}`) return;
  process.exit(await run(PINNED_NODE, [script, ...process.argv.slice(2)]));
}

async function ensureInstalled() {
  if (isInstalled()) return;
  await withLock(lockPath("install"), async () => {
    // Another start may have installed while this one waited.
    if (isInstalled()) return;
    console.log("Installing dependencies (npm ci) ...");
    const code = await run("npm", ["ci", "--include=dev"], { env: { ...process.env, PATH: outerPath() } });
    if (code !== 0)
      throw new ScriptError("npm ci has failed. Its messages above say why; run it again when that is mended.");
  });
}

/** npm must not run on the Node.js in the folder that it is about to empty. */
function outerPath() {
  const inside = join("node_modules", ".bin");
  return process.env.PATH.split(delimiter)
    .filter((folder) => !folder.endsWith(inside))
    .join(delimiter);
}

/** Whether node_modules has what the lockfile says, optional packages of other systems aside. */
function isInstalled() {
  if (!existsSync(INSTALLED_LIST)) return false;
  const wanted = JSON.parse(readFileSync(inRoot("package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(INSTALLED_LIST, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { optional, version, integrity }]) =>
      path === "" || optional || (present[path]?.version === version && present[path].integrity === integrity),
  );
}

function ensurePinnedNode() {
  if (versionOf(PINNED_NODE) === pinnedVersion()) return;
  // The package fetches its binary in an install script, which some settings of npm leave out.
  console.log(`Fetching Node.js ${pinnedVersion()} ...`);
  execFileSync(process.execPath, ["installArchSpecificPackage.js"], {
    cwd: inRoot("node_modules", "node"),
    stdio: "inherit",
  });
  if (versionOf(PINNED_NODE) === pinnedVersion()) return;
  throw new ScriptError(
    `Node.js ${pinnedVersion()} is not in node_modules/node. Allow the install script of the package "node", remove node_modules and start again.`,
  );
}

/** Reads the file's version without starting it when it is this very process. */
function versionOf(binary) {
  if (!existsSync(binary)) return null;
  if (process.execPath === binary) return process.versions.node;
  try {
    return execFileSync(binary, ["--version"], { encoding: "utf8" }).trim().replace(/^v/, "");
  } catch {
    return null;
  }
}

function pinnedVersion() {
  return JSON.parse(readFileSync(inRoot("package.json"), "utf8")).dependencies.node;
}
