import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRoot } from "./paths.mjs";

const PACKAGE = inRoot("node_modules", "node");
export const PINNED_NODE = join(PACKAGE, "bin", "node");
/** npm leaves it out, since the program was not there yet when it made the others. */
const COMMAND = inRoot("node_modules", ".bin", "node");

const BUILT = inRoot("node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");

/** Whether the pinned Node.js for this system came with the packages. */
export function hasBuiltNode() {
  return existsSync(BUILT);
}

/**
 * Puts the pinned Node.js where the package "node" has it. On Linux it came as a package of its own, with its hash in
 * the lockfile; elsewhere the package's own script fetches it. Throws nothing: whoever calls looks whether it runs.
 * @param {string} version for the line that is printed
 */
export function placeNode(version) {
  try {
    if (hasBuiltNode()) place(BUILT);
    else fetch(version);
    rmSync(COMMAND, { force: true });
    symlinkSync(join("..", "node", "bin", "node"), COMMAND);
  } catch (error) {
    console.error(`Node.js ${version} could not be put in its place: ${error.message}`);
  }
}

/** One file with two names; a copy where the disk knows no such thing. */
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
  console.log(`Fetching Node.js ${version} ...`);
  execFileSync(process.execPath, ["installArchSpecificPackage.js"], { cwd: PACKAGE, stdio: "inherit" });
}
