import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRoot } from "./paths.mjs";

const PACKAGE = inRoot("node_modules", "node");
export const PINNED_NODE = join(PACKAGE, "bin", "node");
/** Link that npm leaves out, since the program did not exist when it created the others. */
const COMMAND = inRoot("node_modules", ".bin", "node");

const BUILT = inRoot("node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");

/** Returns whether the packages include the pinned Node.js for this system. */
export function hasBuiltNode() {
  return existsSync(BUILT);
}

/** Returns whether the pinned Node.js is in its place with its command: a placing may have been killed in between. */
export function isNodePlaced() {
  return existsSync(PINNED_NODE) && existsSync(COMMAND);
}

/**
 * Puts the pinned Node.js where the package "node" has it. On Linux it is a separate package, with its hash in the
 * lockfile; elsewhere the package's script downloads it. Never throws: callers check whether it runs.
 * @param {string} version for the line that is printed
 */
export function placeNode(version) {
  try {
    if (hasBuiltNode()) place(BUILT);
    else fetch(version);
    rmSync(COMMAND, { force: true });
    symlinkSync(join("..", "node", "bin", "node"), COMMAND);
  } catch (error) {
    console.error(`Couldn't install Node.js ${version}: ${error.message}`);
  }
}

/** Creates a hard link, or a copy on disks without links. */
function place(source) {
  mkdirSync(dirname(PINNED_NODE), { recursive: true });
  rmSync(PINNED_NODE, { force: true });
  try {
    linkSync(source, PINNED_NODE);
  } catch {
    copyFileSync(source, PINNED_NODE);
  }
}

function fetch(version) {
  console.log(`Downloading Node.js ${version} ...`);
  execFileSync(process.execPath, ["installArchSpecificPackage.js"], { cwd: PACKAGE, stdio: "inherit" });
}
