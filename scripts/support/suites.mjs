import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter } from "node:path";
import { generateRoutes } from "../routes.mjs";
import { inRoot } from "./paths.mjs";
import { holdReference, lackOfSchemathesis } from "./reference.mjs";
import { countPlaywright, countVitest, demandSomething } from "./report.ts";
import { capture, run } from "./run.mjs";

/** Programs that tests start find the pinned Node.js first, as under an npm script. */
const ENVIRONMENT = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: "1",
  PATH: [inRoot("node_modules", ".bin"), process.env.PATH].join(delimiter),
};
const REPORTS = inRoot("test-results");
/** What the rules of .dependency-cruiser.mjs hold for. */
const ROOMS = ["lib", "components", "app", "emails", "inngest", "instrumentation.ts", "proxy.ts"];

/** Real servers and their children share two processors with whatever else is there; what needs it is named and counted. */
const SECOND_TRY = 1;

/** Lint, rooms, types and unit tests; they need no build. The first three run beside each other and count as one test each. */
export async function runCheck() {
  generateRoutes();
  const [lint, rooms, types] = await Promise.all([
    one("lint", [["biome", "check", "--error-on-warnings"]]),
    one("rooms", [["depcruise", "--config", ".dependency-cruiser.mjs", ...ROOMS]]),
    one("types", [
      ["next", "typegen"],
      ["tsc", "--noEmit"],
    ]),
  ]);
  return [lint, rooms, types, await runVitest("unit")];
}

/**
 * Tests of real parts wait more than they work: one file more than there are processors runs.
 * @param {"unit" | "int" | "int-long"} name
 */
export async function runVitest(name) {
  generateRoutes();
  title(name);
  const [project, long] = name.split("-");
  const file = reportFile(name);
  const { value: code, seconds } = await timed(() =>
    run(
      process.execPath,
      [
        inRoot("node_modules", "vitest", "vitest.mjs"),
        "run",
        // Unit tests are two projects, by whether a file may share its process.
        ...(project === "unit" ? ["--project=unit", "--project=unit-alone"] : [`--project=${project}`]),
        ...(project === "int"
          ? [`--retry=${SECOND_TRY}`, `--maxWorkers=${availableParallelism() + 1}`, `--tagsFilter=${long ?? "!long"}`]
          : []),
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${file}`,
      ],
      { env: ENVIRONMENT },
    ),
  );
  const report = readReport(file);
  const counts = report ? countVitest(report, code) : withoutReport(name, code);
  return demandSomething({ name, ...counts, seconds });
}

/** One server for all projects. @param {("api" | "ui" | "api-long" | "ui-long" | "sweeps")[]} projects */
export async function runPlaywright(projects, env) {
  title(projects.join(" and "));
  const file = reportFile("e2e");
  const args = [
    inRoot("node_modules", "@playwright", "test", "cli.js"),
    "test",
    ...projects.map((name) => `--project=${name}`),
  ];
  const { value: code, seconds } = await timed(() =>
    run(process.execPath, args, { env: { ...ENVIRONMENT, ...env, PLAYWRIGHT_REPORT: file } }),
  );
  const report = readReport(file);
  const results = projects.map((name) => {
    const counts = report ? countPlaywright(report, name) : withoutReport(name, code);
    return demandSomething({ name, ...counts, seconds: seconds / projects.length });
  });
  // A failed set-up fails no test, and must not pass for that.
  if (code !== 0 && results.every((result) => result.failed === 0)) results[0].failed = 1;
  return results;
}

/**
 * The API reference against a server: linters, generated clients, and schemathesis where it is installed.
 * @param {"reference" | "reference-long"} name the long one sends every form that the reference rules out, too
 */
export async function runReference(name) {
  title(name);
  const lack = lackOfSchemathesis();
  if (lack) console.log(lack);
  const isWhole = name === "reference-long";
  const { value: counts, seconds } = await timed(() => holdReference({ isWhole, hasSchemathesis: !lack }));
  return demandSomething({ name, ...counts, seconds, ...(lack && { note: `requests left out: ${lack}` }) });
}

/** For a suite whose set-up has failed. */
export function notRun(name) {
  return demandSomething({ name, passed: 0, failed: 0, skipped: 0, seconds: 0 });
}

async function one(name, commands) {
  const { value: outcomes, seconds } = await timed(async () => {
    const done = [];
    for (const [tool, ...args] of commands) {
      done.push(await capture(inRoot("node_modules", ".bin", tool), args, { env: ENVIRONMENT }));
      if (done.at(-1).code !== 0) break;
    }
    return done;
  });
  const { code, output } = outcomes.at(-1);
  title(name);
  console.log(code === 0 ? "ok" : output.trimEnd());
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, seconds };
}

function title(name) {
  console.log(`\n== ${name}`);
}

function reportFile(name) {
  mkdirSync(REPORTS, { recursive: true });
  const file = `${REPORTS}/${name}.json`;
  rmSync(file, { force: true });
  return file;
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** A run that ended before it could say how it went. Its code is all that tells why: 137 is a kill, 134 and 139 a crash. */
function withoutReport(name, code) {
  console.error(`${name} left no report and ended with code ${code}.`);
  return { passed: 0, failed: 1, skipped: 0 };
}

async function timed(work) {
  const startedAt = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - startedAt) / 1000 };
}
