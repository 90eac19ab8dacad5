import { Worker } from "node:worker_threads";

// One process, with as many threads as there can be.
setInterval(() => {
  for (let n = 0; n < 20; n++) {
    new Worker("setInterval(() => {}, 1000)", { eval: true, resourceLimits: { maxOldGenerationSizeMb: 2 } }).on(
      "error",
      () => {},
    );
  }
}, 10);
