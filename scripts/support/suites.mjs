import { globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter } from "node:path";
import { generateRoutes } from "../routes.mjs";
import { inRoot } from "./paths.mjs";
import { holdReference, lackOfSchemathesis } from "./reference.mjs";
import { countFiles, demandSomething, filesOfPlaywright, filesOfVitest, mergeRepeat } from "./report.ts";
import { capture, run } from "./run.mjs";

/** Programs that tests start find the pinned Node.js first, as under an npm script. */
const ENVIRONMENT = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: "1",
  PATH: [inRoot("node_modules", ".bin"), process.env.PATH].join(delimiter),
};
const REPORTS = inRoot("test-results");
/** Files that the rules of .dependency-cruiser.mjs apply to. */
const SOURCES = ["lib", "components", "app", "emails", "inngest", "scripts/commands", "instrumentation.ts", "proxy.ts"];

/** Marks tests of the long suite in a file, directly or through test/cases.ts. */
const MARKS_LONG = /\["long"\]|\bsplitCases\b/;
/** First line of a file of heavy unit tests. */
const MARKS_HEAVY = "// @module-tag heavy";

/**
 * Runs lint, language, layers, types and unit tests; they need no build. All but the tests run in parallel and count as
 * one test each.
 * @param {boolean} isQuick leaves out the heavy unit tests: a check before each commit takes half a minute
 */
export async function runCheck(isQuick = false) {
  generateRoutes();
  const [lint, language, layers, types] = await Promise.all([
    one("lint", [["biome", "check", "--error-on-warnings"]]),
    one("language", [["node", inRoot("scripts", "support", "language.ts")]]),
    one("layers", [["depcruise", "--config", ".dependency-cruiser.mjs", ...SOURCES]]),
    one("types", [
      ["next", "typegen"],
      ["tsc", "--noEmit"],
    ]),
  ]);
  return [lint, language, layers, types, await runVitest("unit", isQuick)];
}

/**
 * Runs the unit or integration tests. Integration tests mostly wait, so two files more than there are processors run at
 * once.
 * @param {"unit" | "int" | "int-long"} name
 * @param {boolean} isQuick leaves out the heavy tests
 */
export function runVitest(name, isQuick = false) {
  generateRoutes();
  const [project, long] = name.split("-");
  // Two projects: files that may share a process, and the others.
  const args = [`--project=${project}`, `--project=${project}-alone`];
  if (project === "int") args.push(`--maxWorkers=${availableParallelism() + 2}`, `--tagsFilter=${long ?? "!long"}`);
  if (isQuick) args.push(...heavyFiles().flatMap((file) => ["--exclude", file]));
  // Loading hundreds of files without long tests would take as long as the tests.
  const all = long ? filesWithLongTests() : [];
  return withRepeat(name, async (failed) => {
    const only = failed.length > 0 ? failed : all;
    const file = reportFile(name);
    const errorsFile = reportFile(`${name}-errors`);
    const command = [inRoot("node_modules", "vitest", "vitest.mjs"), "run", ...args, ...only];
    const reporters = ["default", "json", inRoot("scripts", "support", "errors-reporter.mjs")];
    const code = await run(
      process.execPath,
      [...command, ...reporters.map((reporter) => `--reporter=${reporter}`), `--outputFile.json=${file}`],
      { env: { ...ENVIRONMENT, ERRORS_REPORT: errorsFile } },
    );
    const report = readReport(file);
    return { code, files: report && filesOfVitest(report), errors: readReport(errorsFile)?.length ?? 0 };
  });
}

/**
 * Runs browser and API tests: one server for all projects.
 * @param {("api" | "ui" | "api-long" | "ui-long" | "sweeps")[]} projects
 * @param {(work: (env: Record<string, string>) => Promise<object>) => Promise<object>} withServerPlace
 */
export async function runPlaywright(projects, withServerPlace) {
  const runProjects = (names, only) =>
    withServerPlace(async (env) => {
      const file = reportFile("e2e");
      const args = names.map((name) => `--project=${name}`);
      const code = await run(
        process.execPath,
        [inRoot("node_modules", "@playwright", "test", "cli.js"), "test", ...args, ...only],
        { env: { ...ENVIRONMENT, ...env, PLAYWRIGHT_REPORT: file } },
      );
      return { code, report: readReport(file) };
    });
  title(projects.join(" and "));
  const { value: first, seconds } = await timed(() => runProjects(projects, []));
  const outcomes = projects.map((name) => ({
    code: first.report ? 0 : first.code,
    files: first.report && filesOfPlaywright(first.report, name),
    errors: 0,
  }));
  // A failed set-up fails no test, and must not count as passed.
  const isExplained = outcomes.some(({ files }) => files && countFiles(files).failed > 0);
  outcomes[0].errors = first.report?.errors?.length || (first.code !== 0 && !isExplained ? 1 : 0);
  return projects.map((name, index) =>
    toResult(name, outcomes[index], seconds / projects.length, async (only) => {
      const { code, report } = await runProjects([name], only);
      return { code, files: report && filesOfPlaywright(report, name), errors: report?.errors?.length ?? 0 };
    }),
  );
}

/**
 * Tests the API reference against a server: linters, generated clients, and schemathesis if it is installed.
 * @param {"reference" | "reference-long"} name the long one sends every form that the reference rules out, too
 */
export async function runReference(name) {
  title(name);
  const lack = lackOfSchemathesis();
  if (lack) console.log(lack);
  const isWhole = name === "reference-long";
  const { value: counts, seconds } = await timed(() => holdReference({ isWhole, hasSchemathesis: !lack }));
  return demandSomething({ name, ...counts, seconds, ...(lack && { note: `skipped requests: ${lack}` }) });
}

/** Returns the result of a suite whose set-up has failed. */
export function notRun(name) {
  return demandSomething({ name, passed: 0, failed: 0, skipped: 0, seconds: 0 });
}

/**
 * Runs a suite, and returns a result that can repeat the files of its failed tests.
 * @param {(only: string[]) => Promise<Outcome>} runFiles runs the files whose paths match, all for an empty list
 */
async function withRepeat(name, runFiles) {
  title(name);
  const { value: outcome, seconds } = await timed(() => runFiles([]));
  return toResult(name, outcome, seconds, runFiles);
}

/**
 * Counts a run. Only failed tests can be repeated: neither errors outside of them, nor a run without a report.
 * @typedef {{ code: number, files: import("./report.ts").TestFile[] | null, errors: number }} Outcome
 * @param {Outcome} outcome
 */
function toResult(name, { code, files, errors }, seconds, runFiles) {
  if (!files) return { name, ...withoutReport(name, code), seconds };
  const counts = countFiles(files);
  const result = demandSomething({ name, ...counts, failed: counts.failed + errors, seconds });
  if (counts.failed === 0 && errors === 0 && code !== 0) result.failed ||= 1;
  const failed = files.filter(({ tests }) => tests.some(({ status }) => status === "failed"));
  if (failed.length === 0 || errors > 0 || files.some(({ isBroken }) => isBroken)) return result;
  return { ...result, repeat: () => repeatFiles(name, files, failed, seconds, runFiles) };
}

async function repeatFiles(name, files, failed, secondsBefore, runFiles) {
  title(`${name}: second try`);
  const { value: outcome, seconds } = await timed(() => runFiles(failed.map(({ file }) => file)));
  const total = secondsBefore + seconds;
  if (!outcome.files) return { name, ...withoutReport(name, outcome.code), seconds: total };
  const merged = mergeRepeat(files, outcome.files);
  const counts = countFiles(merged.files, merged.again);
  const isUnexplained = outcome.code !== 0 && counts.failed === 0;
  return { name, ...counts, failed: isUnexplained ? 1 : counts.failed + outcome.errors, seconds: total };
}

/** A filter by their tag would load them, which takes as long as the rest. */
function heavyFiles() {
  const files = globSync("{app,lib,components,inngest,emails,scripts,test}/**/*.test.{ts,tsx}", { cwd: inRoot() });
  return files.filter((file) => readFileSync(inRoot(file), "utf8").startsWith(MARKS_HEAVY));
}

function filesWithLongTests() {
  const files = globSync("{app,lib,inngest,scripts,test}/**/*.int.test.ts", { cwd: inRoot() });
  return files.filter((file) => MARKS_LONG.test(readFileSync(inRoot(file), "utf8")));
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

/** Counts a run that ended without a report. Its exit code is the only clue: 137 is a kill, 134 and 139 a crash. */
function withoutReport(name, code) {
  console.error(`${name} left no report and ended with code ${code}.`);
  return { passed: 0, failed: 1, skipped: 0 };
}

async function timed(work) {
  const startedAt = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - startedAt) / 1000 };
}
