// A default import: the oldest Node.js that runs this has no statfsSync, and a named import would fail to load.
import fs from "node:fs";
import { ScriptError } from "./run.mjs";

/** Size of an installation, its build and the sample, and as much again for npm's cache, in bytes. */
const BYTES_NEEDED = 1.5e9;

/** npm's messages with advice for each. The first match is printed. */
const ADVICE = [
  [/ENOSPC/, "The disk is full. Free some space and start again."],
  [
    /EACCES|EPERM|EROFS/,
    "No write permission for this folder or npm's cache. Start as their owner. Files of other users are listed above.",
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED/,
    "The npm registry is unreachable. Check your network and npm config list, then start again.",
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
    "The registry's certificate is not trusted. Behind a TLS-inspecting proxy, set NODE_EXTRA_CA_CERTS.",
  ],
  [/E401|E403|ENEEDAUTH/, "The registry requires a login. Run npm login."],
  [/EINTEGRITY/, "Package checksum mismatch. Run npm cache clean --force and start again."],
  [/^ENOENT$/, "npm was not found. It comes with Node.js; start again with both on the PATH."],
];
const OTHERWISE = "npm failed. Fix the error above and start again.";

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
    throw new ScriptError(`No write permission for ${folder}. Start as its owner, or move it.`);
  }
  if (free < BYTES_NEEDED) {
    throw new ScriptError(
      `${folder} has ${toGigabytes(free)} GB free. The first start needs ${toGigabytes(BYTES_NEEDED)} GB. Free some space and start again.`,
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
