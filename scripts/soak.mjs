import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";
import { importBundled } from "./support/bundle.mjs";
import { ensureDatabases } from "./support/databases.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

const MINUTES = 60;
const USAGE = "npm run test:soak -- [minutes] [--seed n] [--idle]";

/**
 * Runs random operations on two production servers and one store, kills servers and engines in the middle, and checks
 * that no row is lost or duplicated and nothing hangs (test/soak):
 *
 *   npm run test:soak                       an hour
 *   npm run test:soak -- 10 --seed 7        ten minutes, with the choices of seed 7
 *   npm run test:soak -- 60 --idle          checks times, too: the machine is otherwise idle
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url), { forTests: true });
  const options = choose(process.argv.slice(2));
  await ensureDatabases();
  await buildIfStale();
  const { run } = await importBundled("test/soak/soak.ts", "dist/soak/soak.mjs");
  return (await run(options)) ? 0 : 1;
});

function choose(args) {
  const options = { minutes: MINUTES, seed: Date.now() % 1_000_000, isIdle: false };
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] === "--idle") options.isIdle = true;
    else if (args[at] === "--seed") options.seed = readNumber(args[++at]);
    else options.minutes = readNumber(args[at]);
  }
  return options;
}

function readNumber(text) {
  const number = Number(text);
  if (text === undefined || !Number.isFinite(number) || number <= 0) throw new ScriptError(`Usage: ${USAGE}`);
  return number;
}
