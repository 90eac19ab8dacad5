import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "./build.mjs";
import { ensureChromium } from "./support/chromium.mjs";
import { ensureDatabases } from "./support/databases.mjs";
import { freePort } from "./support/free-port.mjs";
import { main, ScriptError } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/** Groups for the command line: npm test -- unit int. Those with "-long" hold thorough tests that take minutes. */
const GROUPS = {
  check: ["check"],
  unit: ["unit"],
  int: ["int"],
  api: ["api"],
  ui: ["ui"],
  e2e: ["api", "ui"],
  sweeps: ["sweeps"],
  reference: ["reference"],
  "int-long": ["int-long"],
  "reference-long": ["reference-long"],
  "api-long": ["api-long"],
  "ui-long": ["ui-long"],
  long: ["int-long", "reference-long", "api-long", "ui-long", "sweeps"],
};
/** Suites that every change must pass, in half an hour. `npm run test:long` runs the rest. */
const ALL = ["check", "int", "reference", "api", "ui"];
/** Repeats at most three failed tests, and names those that pass then. Without it a test that fails once has failed. */
const REPEAT = "--repeat-failed";
/** Suites that need a built product, or a browser. */
const OF_BUILD = ["int", "int-long", "reference", "reference-long"];
const OF_BROWSER = ["api", "ui", "api-long", "ui-long", "sweeps"];

/** Runs the suites, including the set-up. The last line is the sum of all of them. */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url), { forTests: true });
  const names = process.argv.slice(2).filter((name) => name !== REPEAT);
  const mayTryAgain = process.argv.includes(REPEAT);
  const chosen = chooseSuites(names);
  const { notRun, runCheck, runPlaywright, runReference, runVitest } = await import("./support/suites.mjs");
  const { mayRepeat, summary } = await import("./support/report.ts");
  const results = [];
  if (chosen.has("check")) results.push(...(await runCheck()));
  if (chosen.has("unit")) results.push(await runVitest("unit"));
  const browserProjects = OF_BROWSER.filter((name) => chosen.has(name));
  const ofBuild = OF_BUILD.filter((name) => chosen.has(name));
  if (ofBuild.length + browserProjects.length > 0) {
    const isBuilt = await tryBuild();
    const isReference = (name) => name.startsWith("reference");
    if (!ofBuild.every(isReference)) await ensureDatabases();
    const runEach = async (names, run) => {
      const done = [];
      for (const name of names) done.push(isBuilt ? await run(name) : notRun(name));
      return done;
    };
    // Requests of the reference wait for their server half of the time: they run beside the integration tests.
    const both = await Promise.all([
      runEach(
        ofBuild.filter((name) => !isReference(name)),
        (name) => runVitest(name),
      ),
      runEach(ofBuild.filter(isReference), runReference),
    ]);
    results.push(...both.flat());
    if (browserProjects.length > 0)
      results.push(...(isBuilt ? await runPlaywright(browserProjects, withServerPlace) : browserProjects.map(notRun)));
  }
  if (mayTryAgain && mayRepeat(results)) {
    for (const [index, { repeat }] of results.entries()) if (repeat) results[index] = await repeat();
  }
  console.log(`\n${summary(results)}`);
  return results.some((result) => result.failed > 0) ? 1 : 0;
});

function chooseSuites(names) {
  const unknown = names.find((name) => !Object.hasOwn(GROUPS, name));
  if (unknown) throw new ScriptError(`Unknown suite "${unknown}". Suites: ${Object.keys(GROUPS).join(", ")}.`);
  return new Set(names.length === 0 ? ALL : names.flatMap((name) => GROUPS[name]));
}

/** Reports a failed build, and still counts the suites before it. */
async function tryBuild() {
  try {
    await buildIfStale();
    return true;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    console.error(error.message);
    return false;
  }
}

/** Runs work with a port, a new data folder and a browser for the server of the browser tests. */
async function withServerPlace(work) {
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-e2e-"));
  try {
    return await work({
      CHROMIUM_PATH: await ensureChromium(),
      E2E_PORT: String(await freePort()),
      E2E_DATA_DIR: dataDir,
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
