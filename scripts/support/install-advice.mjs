// A default import: the oldest Node.js that runs this has no statfsSync, and a named import would fail to load.
import fs from "node:fs";
import { ScriptError } from "./run.mjs";

/** Size of an installation, its build and the sample, and as much again for npm's cache, in bytes. */
const BYTES_NEEDED = 1.5e9;

/** npm's messages with advice for each. The first match is printed. */
const ADVICE = [
  [/ENOSPC/, "The disk is full. Make room and start again."],
  [
    /EACCES|EPERM|EROFS/,
    "This user may not write here, or to npm's own folder. Start as the user who owns both: files that another user left are named above.",
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED/,
    "The registry of npm cannot be reached. The first start needs it: look at the network, or at the proxy or registry that npm is set to (npm config list), and start again.",
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
    "The registry's certificate is not trusted here. A network that puts its own in between gives a file of it for NODE_EXTRA_CA_CERTS.",
  ],
  [/E401|E403|ENEEDAUTH/, "The registry wants a login: see npm config list, and npm login."],
  [
    /EINTEGRITY/,
    "A package is not what the lockfile says. Empty npm's store (npm cache clean --force) and start again.",
  ],
  [/^ENOENT$/, "npm was not found. It comes with Node.js; start again with both on the PATH."],
];
const OTHERWISE = "npm has failed. What it says above tells why; start again when that is mended.";

/** @param {string} output npm's output, or the code with which it could not be started */
export function toInstallAdvice(output) {
  return ADVICE.find(([sign]) => sign.test(output))?.[1] ?? OTHERWISE;
}

/**
 * Checks the preconditions of an installation before it takes minutes.
 * @param {string} folder the project's
 * @throws ScriptError that names the missing part
 */
export function refuseWhatCannotInstall(folder, free = freeBytes(folder)) {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
  } catch {
    throw new ScriptError(`This user may not write to ${folder}. Start as the user who owns it, or move it.`);
  }
  if (free < BYTES_NEEDED) {
    throw new ScriptError(
      `${folder} has ${toGigabytes(free)} GB free, and the first start needs ${toGigabytes(BYTES_NEEDED)} GB. Make room and start again.`,
    );
  }
}

/** Returns the free space in bytes; Infinity on Node.js before 18.15. */
function freeBytes(folder) {
  if (!fs.statfsSync) return Number.POSITIVE_INFINITY;
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize;
}

function toGigabytes(bytes) {
  return (bytes / 1e9).toFixed(1);
}
