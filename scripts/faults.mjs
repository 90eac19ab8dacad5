import { fileURLToPath } from "node:url";
import { ensureDatabases } from "./support/databases.mjs";
import { inRoot } from "./support/paths.mjs";
import { main, run, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

const TARGETS = ["postgres", "mariadb", "mongodb", "clickhouse", "engine"];
const COUNT = 20_000;
/** Each slice has a process of its own, so that one which dies says at which lies. */
const SLICE = 2000;
const TEST = "lib/connections/drivers/conformance/lying-servers.int.test.ts";

/**
 * Tells each driver twenty thousand lies in a server's name, which takes a quarter of an hour a driver and more:
 *
 *   npm run test:faults
 *   npm run test:faults -- postgres mongodb --count 2000 --seed 7
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url));
  const { targets, count, seed } = choose(process.argv.slice(2));
  await ensureDatabases();
  const results = {};
  let isGood = true;
  for (const target of targets) {
    const startedAt = Date.now();
    const failed = [];
    for (let told = 0; told < count; told += SLICE) {
      const lies = Math.min(SLICE, count - told);
      const code = await run(
        process.execPath,
        [inRoot("node_modules", "vitest", "vitest.mjs"), "run", "--project", "int", TEST],
        {
          env: { ...process.env, LIES: String(lies), LIES_SEED: String(seed + told), LIES_TO: target },
        },
      );
      if (code !== 0) failed.push(`LIES=${lies} LIES_SEED=${seed + told}`);
    }
    isGood &&= failed.length === 0;
    const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
    results[target] = { lies: count, from: seed, minutes, failed: failed.join(", ") || "none" };
    console.table(results);
  }
  return isGood ? 0 : 1;
});

function choose(args) {
  const targets = [];
  const numbers = { count: COUNT, seed: 1 };
  for (let at = 0; at < args.length; at += 1) {
    const option = /^--(count|seed)$/.exec(args[at])?.[1];
    if (option !== undefined) {
      at += 1;
      numbers[option] = Number(args[at]);
      if (!Number.isSafeInteger(numbers[option]) || numbers[option] < 1) {
        throw new ScriptError(`--${option} takes a whole number above 0.`);
      }
    } else if (TARGETS.includes(args[at])) targets.push(args[at]);
    else throw new ScriptError(`Say which drivers: npm run test:faults -- ${TARGETS.join(" ")} [--count n] [--seed n]`);
  }
  return { targets: targets.length > 0 ? targets : TARGETS, ...numbers };
}
