import { Worker } from "node:worker_threads";

const LOOK_EVERY_MS = 1000;

/*
 * A statement that SQLite is busy with keeps the runner's own loop from noticing that the engine has died. This thread
 * has a loop of its own.
 */
const SOURCE = `
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  }, ${LOOK_EVERY_MS});
`;

/** Ends this process, whatever it is doing, when the one that started it is gone. */
export function endWithStarter(): void {
  new Worker(SOURCE, { eval: true, env: {} }).unref();
}
