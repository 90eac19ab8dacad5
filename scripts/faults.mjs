import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";
import { ensureDatabases } from "./support/databases.mjs";
import { inRoot } from "./support/paths.mjs";
import { main, run, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

const DRIVERS = ["postgres", "mariadb", "mongodb", "clickhouse", "trino", "engine"];
/** Clients of lying servers mostly wait for a deadline: this many fill one and a half processor cores. */
const AT_ONCE = 40;
const COUNT = 20_000;
/** Number of cases per process, so that a crash shows which lies caused it. */
const SLICE = 2000;
const LIES = "test/conformance/drivers/lying-servers.int.test.ts";

/** Suites of faults that run in full here, and in part under `npm test`: the tests, and the counts that they take. */
const FAULTS = {
  deliveries: {
    tests: [
      "lib/features/notifications/faults.int.test.ts",
      "test/faults/backlog.int.test.ts",
      "test/faults/backlog-product.int.test.ts",
      "inngest/functions/notifications.int.test.ts",
    ],
    env: { DELIVERIES: "10000", KILLS: "200", BACKLOG: "10000", HEALTHY_SENDS: "100" },
  },
  jobs: {
    tests: ["lib/platform/jobs/faults.int.test.ts", "test/faults/runner-away.int.test.ts"],
    env: { FAULTS: "full", AWAY: "300" },
  },
  // Pushes that are killed, decompress or diverge, two concurrent base packs, a host that fails midway.
  git: {
    tests: [
      "lib/features/repository/git/push.int.test.ts",
      "lib/features/repository/git/fetch.int.test.ts",
      "lib/features/repository/git/base-pack.int.test.ts",
      "lib/features/linked-repositories/link.int.test.ts",
    ],
    env: {},
  },
  ticks: { tests: ["test/faults/ticks.int.test.ts"], env: { TICKS: "1000" } },
  flows: { tests: ["test/faults/flows.int.test.ts"], env: { FLOW_ROWS: "1000000", FLOW_KILLS: "6" } },
  publish: { tests: ["test/faults/publish.int.test.ts"], env: { PUBLISH_KILLS: "60" } },
  readings: { tests: ["lib/features/connections/drivers/postgres/reading.int.test.ts"], env: { READINGS: "full" } },
};

/**
 * Injects faults: kills servers in the middle of deliveries, jobs, flows and publishes, sets their clocks wrong, tries
 * everything that is forbidden with four kinds of PostgreSQL users, and sends each driver twenty thousand invalid
 * server messages, which takes five to ten minutes per driver:
 *
 *   npm run test:faults
 *   npm run test:faults -- flows deliveries
 *   npm run test:faults -- postgres mongodb --count 2000 --seed 7
 */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url), { forTests: true });
  const { targets, count, seed } = choose(process.argv.slice(2));
  await ensureDatabases();
  // Servers that the tests start must not build first.
  if (targets.some((target) => target in FAULTS)) await buildIfStale();
  const results = {};
  let isGood = true;
  for (const target of targets) {
    const startedAt = Date.now();
    const { facts, failed } =
      target in FAULTS ? await fail(FAULTS[target], target, seed) : await lie(target, count, seed);
    isGood &&= failed.length === 0;
    const minutes = ((Date.now() - startedAt) / 60_000).toFixed(1);
    results[target] = { ...facts, minutes, failed: failed.join(", ") || "none" };
    console.table(results);
  }
  return isGood ? 0 : 1;
});

async function fail({ tests, env }, target, seed) {
  const code = await test(tests, { ...env, FAULTS_SEED: String(seed) });
  const settings = Object.entries(env).map((pair) => pair.join("="));
  return { facts: { counts: settings.join(" ") }, failed: code === 0 ? [] : [`${target}, seed ${seed}`] };
}

async function lie(target, count, seed) {
  const failed = [];
  for (let told = 0; told < count; told += SLICE) {
    const lies = Math.min(SLICE, count - told);
    const code = await test([LIES], {
      LIES: String(lies),
      LIES_AT_ONCE: String(AT_ONCE),
      LIES_SEED: String(seed + told),
      LIES_TO: target,
    });
    if (code !== 0) failed.push(`LIES=${lies} LIES_SEED=${seed + told}`);
  }
  return { facts: { counts: `${count} lies from ${seed}` }, failed };
}

function test(files, env) {
  const args = [inRoot("node_modules", "vitest", "vitest.mjs"), "run", "--project", "int", ...files];
  return run(process.execPath, args, { env: { ...process.env, ...env } });
}

function choose(args) {
  const all = [...Object.keys(FAULTS), ...DRIVERS];
  const targets = [];
  const numbers = { count: COUNT, seed: 1 };
  for (let at = 0; at < args.length; at += 1) {
    const option = /^--(count|seed)$/.exec(args[at])?.[1];
    if (option !== undefined) {
      at += 1;
      numbers[option] = Number(args[at]);
      if (!Number.isSafeInteger(numbers[option]) || numbers[option] < 1) {
        throw new ScriptError(`--${option} must be a whole number above 0.`);
      }
    } else if (all.includes(args[at])) targets.push(args[at]);
    else throw new ScriptError(`Usage: npm run test:faults -- ${all.join(" ")} [--count n] [--seed n]`);
  }
  return { targets: targets.length > 0 ? targets : all, ...numbers };
}
