import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { refuseWhatCannotInstall, toInstallAdvice } from "./install-advice.mjs";
import { withLock } from "./lock.mjs";
import { inRoot, lockPath, ROOT } from "./paths.mjs";
import { hasBuiltNode, isNodePlaced, PINNED_NODE, placeNode } from "./place-node.mjs";
import { capture, run, ScriptError } from "./run.mjs";
import { step } from "./step.mjs";
import { trimPackages } from "./trim.mjs";

/** npm writes it last, so it also proves a complete installation. */
const INSTALLED_LIST = inRoot("node_modules", ".package-lock.json");
/** Oldest version that these scripts run on, until the pinned one is installed. */
const NODE_MAJOR_MIN = 18;

/**
 * Completes the installation and continues under the pinned Node.js. Under any other version it restarts the script
 * under the pinned one and exits with its code: it does not return then.
 * @param {string} script path of the calling script
 * @param {{ forTests?: boolean }} [options] true also installs the packages of tests and checks
 */
export async function ensureRuntime(script, { forTests = false } = {}) {
  if (majorOf(process.versions.node) < NODE_MAJOR_MIN) {
    throw new ScriptError(
      `Node.js ${process.versions.node} is too old. Install ${NODE_MAJOR_MIN} or later from https://nodejs.org.`,
    );
  }
  await ensureInstalled(forTests);
  const node = findNode();
  if (node === process.execPath || process.version === `v${pinnedVersion()}`) return;
  process.exit(await run(node, [script, ...process.argv.slice(2)]));
}

/** @param {boolean} forTests */
async function ensureInstalled(forTests) {
  if (isInstalled(forTests)) return;
  const waits = () => console.log("Waiting for another package installation ...");
  await withLock(
    lockPath("install"),
    async () => {
      // Another start may have installed while this one waited.
      if (!isInstalled(forTests)) await install(forTests);
    },
    waits,
  );
}

/**
 * Installs without the packages' scripts: none is needed (docs/develop/decisions/installing.md), and the one that npm
 * adds, which builds prebuilt packages, would require a compiler. `npm ci` empties the folder first; packages for tests
 * are added to those of a server that may be running.
 * @param {boolean} forTests
 */
async function install(forTests) {
  refuseWhatCannotInstall(ROOT);
  const isAdded = forTests && isInstalled(false);
  await step(isAdded ? "Installing test packages" : "Installing packages", async () => {
    const { code, output } = await capture(
      "npm",
      [
        ...(isAdded ? ["install", "--no-save"] : ["ci"]),
        forTests ? "--include=dev" : "--omit=dev",
        "--ignore-scripts",
        "--prefer-offline",
        "--loglevel=error",
      ],
      { env: { ...process.env, PATH: outerPath() } },
    ).catch((error) => ({ code: 1, output: String(error.code) }));
    if (code !== 0) throw new ScriptError(`${output.trim()}\n\n${toInstallAdvice(output)}`);
    placeNode(pinnedVersion());
    trimPackages(ROOT);
  });
}

/** npm must not run on the Node.js in the folder that it is about to empty. */
function outerPath() {
  const inside = join("node_modules", ".bin");
  return process.env.PATH.split(delimiter)
    .filter((folder) => !folder.endsWith(inside))
    .join(delimiter);
}

/**
 * Returns whether node_modules matches the lockfile, except for optional packages of other systems. npm's list alone
 * does not prove it: a copied or half-deleted folder has a list of packages that are not there.
 * @param {boolean} forTests whether the packages of tests count
 */
function isInstalled(forTests) {
  if (!existsSync(INSTALLED_LIST)) return false;
  const wanted = JSON.parse(readFileSync(inRoot("package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(INSTALLED_LIST, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { dev, optional, version, integrity }]) =>
      path === "" ||
      optional ||
      (dev && !forTests) ||
      (present[path]?.version === version && present[path].integrity === integrity && existsSync(inRoot(path))),
  );
}

/**
 * Returns the pinned Node.js. On a system without it, such as Alpine, the current one will do if it has the same major
 * version.
 */
function findNode() {
  const pinned = pinnedVersion();
  const isOfItsKind = majorOf(process.versions.node) === majorOf(pinned);
  if (isNodePlaced() && versionOf(PINNED_NODE) === pinned) return PINNED_NODE;
  // Not retried at each start if the installation could not get it.
  if (isOfItsKind && !hasBuiltNode()) return process.execPath;
  placeNode(pinned);
  if (versionOf(PINNED_NODE) === pinned) return PINNED_NODE;
  if (isOfItsKind) return process.execPath;
  throw new ScriptError(
    `Node.js ${pinned} is not available for ${process.platform} on ${process.arch}. Install any Node.js ${majorOf(pinned)} and start again.`,
  );
}

/** Returns a binary's version, without starting it if it is this process. */
function versionOf(binary) {
  if (!existsSync(binary)) return null;
  if (process.execPath === binary) return process.versions.node;
  try {
    return execFileSync(binary, ["--version"], { encoding: "utf8" }).trim().replace(/^v/, "");
  } catch {
    return null;
  }
}

function majorOf(version) {
  return Number(version.split(".")[0]);
}

function pinnedVersion() {
  return JSON.parse(readFileSync(inRoot("package.json"), "utf8")).dependencies.node;
}
