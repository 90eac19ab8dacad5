import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { refuseWhatCannotInstall, toInstallAdvice } from "./install-advice.mjs";
import { withLock } from "./lock.mjs";
import { inRoot, lockPath, ROOT } from "./paths.mjs";
import { hasBuiltNode, PINNED_NODE, placeNode } from "./place-node.mjs";
import { capture, run, ScriptError } from "./run.mjs";
import { step } from "./step.mjs";
import { trimPackages } from "./trim.mjs";

/** npm writes it last, so it is also the sign that an installation was not cut off. */
const INSTALLED_LIST = inRoot("node_modules", ".package-lock.json");
/** The oldest that these scripts themselves run on, until the pinned one is there. */
const NODE_MAJOR_MIN = 18;

/**
 * Makes the installation complete and goes on under the pinned Node.js. Under any other version it starts the same
 * script again under the pinned one, and ends with that one's code: it does not return then.
 * @param {string} script path of the calling script
 */
export async function ensureRuntime(script) {
  if (majorOf(process.versions.node) < NODE_MAJOR_MIN) {
    throw new ScriptError(
      `This is Node.js ${process.versions.node}; npm has to bring ${NODE_MAJOR_MIN} or newer. Get it at https://nodejs.org and start again.`,
    );
  }
  await ensureInstalled();
  const node = findNode();
  if (node === process.execPath || process.version === `v${pinnedVersion()}`) return;
  process.exit(await run(node, [script, ...process.argv.slice(2)]));
}

async function ensureInstalled() {
  if (isInstalled()) return;
  const waits = () => console.log("Another process installs the packages; waiting for it ...");
  await withLock(
    lockPath("install"),
    async () => {
      // Another start may have installed while this one waited.
      if (!isInstalled()) await install();
    },
    waits,
  );
}

/**
 * No package's own script runs: none is needed (docs/develop/decisions/installing.md), and one that npm makes up, building
 * what came built, would ask for a compiler.
 */
async function install() {
  refuseWhatCannotInstall(ROOT);
  await step("Installing packages", async () => {
    const { code, output } = await capture(
      "npm",
      ["ci", "--include=dev", "--ignore-scripts", "--prefer-offline", "--loglevel=error"],
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

/** The pinned Node.js. Where there is none for the system, such as Alpine, this one will do if it is of its kind. */
function findNode() {
  const pinned = pinnedVersion();
  const isOfItsKind = majorOf(process.versions.node) === majorOf(pinned);
  if (versionOf(PINNED_NODE) === pinned) return PINNED_NODE;
  // What was not to be had at the installation is not asked for at each start.
  if (isOfItsKind && !hasBuiltNode()) return process.execPath;
  placeNode(pinned);
  if (versionOf(PINNED_NODE) === pinned) return PINNED_NODE;
  if (isOfItsKind) return process.execPath;
  throw new ScriptError(
    `Node.js ${pinned} is not to be had for ${process.platform} on ${process.arch}. Install any Node.js ${majorOf(pinned)} and start again under it.`,
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

function majorOf(version) {
  return Number(version.split(".")[0]);
}

function pinnedVersion() {
  return JSON.parse(readFileSync(inRoot("package.json"), "utf8")).dependencies.node;
}
