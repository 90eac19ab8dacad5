import { Agent, get } from "node:http";

/**
 * Asks for the health of a server again and again, in a process of its own: in the one that makes the load it would
 * measure that. Argument: the address. Sends a list of `{ms, status}` whenever it gets a message.
 */
const EVERY_MS = 20;
const [address = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 4 });
let samples: { ms: number; status: number }[] = [];

setInterval(() => {
  const since = performance.now();
  const note = (status: number) => samples.push({ ms: performance.now() - since, status });
  get(`${address}/api/health`, { agent }, (answer) => {
    answer.resume().once("end", () => note(answer.statusCode ?? 0));
  }).once("error", () => note(0));
}, EVERY_MS);

process.on("message", () => {
  process.send?.(samples);
  samples = [];
});
process.on("disconnect", () => process.exit(0));
