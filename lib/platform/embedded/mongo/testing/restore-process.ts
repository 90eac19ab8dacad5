import { restoreStore } from "../backup.ts";

/** Restores a backup in a process of its own, which is killed behind a step. It says each step it has reached. */
const [dataDir = "", file = "", killAt = ""] = process.argv.slice(2);
let steps = 0;
restoreStore(dataDir, file, {
  overwrite: true,
  onStep: (step) => {
    process.stdout.write(`${step}\n`);
    if (String(++steps) === killAt) process.kill(process.pid, "SIGKILL");
  },
});
