import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 200;
/**
 * Time after which an empty lock file counts as abandoned, in ms: its owner's id is written right after its creation.
 */
const EMPTY_TOLERATED_MS = 5000;

/** Runs `work` exclusively among all processes with the same lock file; the lock of a dead process is taken over. */
export async function withLock(file, work, onWait = () => {}) {
  mkdirSync(dirname(file), { recursive: true });
  let isWaiting = false;
  while (!tryLock(file)) {
    if (!isWaiting) onWait();
    isWaiting = true;
    await sleep(POLL_MS);
  }
  const unlock = () => rmSync(file, { force: true });
  process.once("exit", unlock);
  try {
    return await work();
  } finally {
    process.off("exit", unlock);
    unlock();
  }
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (isAbandoned(file)) rmSync(file, { force: true });
  return false;
}

function isAbandoned(file) {
  try {
    const owner = Number(readFileSync(file, "utf8"));
    if (owner === 0) return Date.now() - statSync(file).mtimeMs > EMPTY_TOLERATED_MS;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    // ESRCH: no such process. ENOENT: the owner has just unlocked. EPERM: another user's, so alive.
    return error.code === "ESRCH";
  }
}
