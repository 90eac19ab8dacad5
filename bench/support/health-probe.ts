import { Agent, get } from "node:http";

/**
 * Polls the health of a server from a separate process, so that the load generator does not distort the figures.
 * Argument: the address. Sends a list of `{ms, status}` for each message it gets.
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
