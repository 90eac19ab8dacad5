import { Agent, get } from "node:http";

/**
 * Polls the liveness of servers in a separate process: in the process that generates the load, it would measure that
 * load. Arguments: the URLs. Sends `{samples, lateMs}` for each message it receives.
 */
const EVERY_MS = 100;
const TIMEOUT_MS = 10_000;
const addresses = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
type Sample = { server: number; at: number; ms: number; status: number };
let samples: Sample[] = [];
/** Delays of this process's own timer, in ms: a busy machine adds them to every figure. */
let lateMs: number[] = [];
let expectedAt = performance.now() + EVERY_MS;

setInterval(() => {
  lateMs.push(Math.max(0, performance.now() - expectedAt));
  expectedAt = performance.now() + EVERY_MS;
  for (const [server, address] of addresses.entries()) {
    const at = Date.now();
    const since = performance.now();
    const note = (status: number) => samples.push({ server, at, ms: performance.now() - since, status });
    const asked = get(`${address}/api/health/live`, { agent, timeout: TIMEOUT_MS }, (answer) => {
      answer.resume().once("end", () => note(answer.statusCode ?? 0));
    });
    asked.once("timeout", () => asked.destroy(new Error("no answer in time"))).once("error", () => note(0));
  }
}, EVERY_MS);

process.on("message", () => {
  process.send?.({ samples, lateMs });
  samples = [];
  lateMs = [];
});
process.on("disconnect", () => process.exit(0));
