import { Worker } from "node:worker_threads";

const LOOK_EVERY_MS = 1000;

/*
 * While SQLite runs a statement, the runner's event loop is blocked and cannot notice that the engine has died. This
 * thread has a separate event loop.
 */
const SOURCE = `
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  }, ${LOOK_EVERY_MS});
`;

/** Ends this process as soon as its parent process is gone, even while it is busy. */
export function endWithStarter(): void {
  new Worker(SOURCE, { eval: true, env: {} }).unref();
}
