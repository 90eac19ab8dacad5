/** How a suite went, in tests. */
export type Counts = { passed: number; failed: number; skipped: number };
export type SuiteResult = Counts & { name: string; seconds: number; isEmpty?: boolean; note?: string };

/** One test. What has failed before it passed keeps the messages of that. */
type VitestCase = { status: string; fullName: string; failureMessages?: string[] };

/** The parts of Vitest's JSON report that are read. */
export type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { name: string; status: string; assertionResults: VitestCase[] }[];
};

/** The parts of Playwright's JSON report that are read. */
export type PlaywrightSuite = {
  suites?: PlaywrightSuite[];
  specs?: {
    title: string;
    tests: { projectName: string; status: "expected" | "unexpected" | "flaky" | "skipped" }[];
  }[];
};

/** More failures than this have one reason, which their reports tell. */
const NAMES_MAX = 20;

/** A file that could not be loaded, or an error outside of any test, is a failure too. */
export function countVitest(report: VitestReport, exitCode: number): Counts & { note?: string } {
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const namesOf = (isMeant: (test: VitestCase) => boolean) => tests.filter(isMeant).map(({ fullName }) => fullName);
  const again = namesOf(({ status, failureMessages = [] }) => status === "passed" && failureMessages.length > 0);
  const failed = report.numFailedTests + unloaded.length;
  return {
    ...withSecondTries(
      {
        passed: report.numPassedTests,
        failed: failed === 0 && exitCode !== 0 ? 1 : failed,
        skipped: report.numPendingTests + report.numTodoTests,
      },
      again,
    ),
    ...noteOf({
      failed: [...unloaded.map(({ name }) => name), ...namesOf(({ status }) => status === "failed")],
      "at a second try": again,
    }),
  };
}

/** Names stand in the last lines, where whoever reads only those looks. */
function noteOf(lists: Record<string, string[]>): { note?: string } {
  const words = Object.entries(lists).flatMap(([label, names]) => {
    if (names.length === 0) return [];
    const more = names.length - NAMES_MAX;
    return `${label}: ${names.slice(0, NAMES_MAX).join("; ")}${more > 0 ? ` and ${more} more` : ""}`;
  });
  return words.length === 0 ? {} : { note: words.join("; ") };
}

/** Tests of a suite that may need a second try: as many as a busy machine makes. More of them are a fault of the product. */
const SECOND_TRIES_MAX = 5;

/** What passed only at a second try has a race: the note names it, so that it is mended. */
function withSecondTries(counts: Counts, again: readonly string[]): Counts {
  if (again.length <= SECOND_TRIES_MAX) return counts;
  return { ...counts, passed: counts.passed - again.length, failed: counts.failed + again.length };
}

/** The tests of one project. */
export function countPlaywright(report: PlaywrightSuite, project: string): Counts & { note?: string } {
  const tests = testsOf(report).filter((test) => test.projectName === project);
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  const titles = (status: string) => tests.filter((test) => test.status === status).map(({ title }) => title);
  const again = titles("flaky");
  const counts = { passed: count("expected") + again.length, failed: count("unexpected"), skipped: count("skipped") };
  return {
    ...withSecondTries(counts, again),
    ...noteOf({ failed: titles("unexpected"), "at a second try": again }),
  };
}

/**
 * The test cases of a JUnit report. A run that left none, or failed beside them, is a failure.
 * @param xml the empty text when there is no report
 */
export function countJunit(xml: string, exitCode: number | null): Counts {
  const cases = xml.match(/<testcase\b[^>]*?(?:\/>|>[\s\S]*?<\/testcase>)/g) ?? [];
  const failed = cases.filter((each) => /<(?:failure|error)\b/.test(each)).length;
  const skipped = cases.filter((each) => /<skipped\b/.test(each) && !/<(?:failure|error)\b/.test(each)).length;
  const isBroken = failed === 0 && (exitCode !== 0 || cases.length === 0);
  return { passed: cases.length - failed - skipped, failed: isBroken ? 1 : failed, skipped };
}

export function addCounts(all: Counts[]): Counts {
  const sum = (key: keyof Counts) => all.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

function testsOf(suite: PlaywrightSuite): { title: string; projectName: string; status: string }[] {
  const own = (suite.specs ?? []).flatMap(({ title, tests }) => tests.map((test) => ({ title, ...test })));
  return [...own, ...(suite.suites ?? []).flatMap(testsOf)];
}

/** A suite that ran nothing proves nothing, so it counts as a failure. */
export function demandSomething(result: SuiteResult): SuiteResult {
  return result.passed + result.failed === 0 ? { ...result, failed: 1, isEmpty: true } : result;
}

/** A line for each suite, and the sum as the last line. */
export function summary(results: SuiteResult[]): string {
  const width = Math.max(...results.map((result) => result.name.length));
  const lines = results.map(({ name, passed, failed, skipped, seconds, isEmpty, note }) => {
    const notes = [skipped > 0 && `${skipped} skipped`, isEmpty && "ran no test", note].filter(Boolean).join(", ");
    const counts = `${passed} passed, ${failed} failed`;
    return `${name.padEnd(width)}  ${counts}  ${seconds.toFixed(1)} s${notes && `  (${notes})`}`;
  });
  const sum = (key: "passed" | "failed") => results.reduce((total, result) => total + result[key], 0);
  return [...lines, `${sum("passed")} passed, ${sum("failed")} failed`].join("\n");
}
