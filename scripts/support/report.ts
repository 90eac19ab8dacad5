/** How a suite went, in tests. */
export type Counts = { passed: number; failed: number; skipped: number };
export type SuiteResult = Counts & { name: string; seconds: number; isEmpty?: boolean; note?: string };

/** The parts of Vitest's JSON report that are read. */
export type VitestReport = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: { status: string; assertionResults: unknown[] }[];
};

/** The parts of Playwright's JSON report that are read. */
export type PlaywrightSuite = {
  suites?: PlaywrightSuite[];
  specs?: { tests: { projectName: string; status: "expected" | "unexpected" | "flaky" | "skipped" }[] }[];
};

/** A file that could not be loaded, or an error outside of any test, is a failure too. */
export function countVitest(report: VitestReport, exitCode: number): Counts {
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const failed = report.numFailedTests + unloaded.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** The tests of one project. One that passed at a second try is a failure: it has a race. */
export function countPlaywright(report: PlaywrightSuite, project: string): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const test of testsOf(report)) {
    if (test.projectName !== project) continue;
    if (test.status === "expected") counts.passed += 1;
    else if (test.status === "skipped") counts.skipped += 1;
    else counts.failed += 1;
  }
  return counts;
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

function testsOf(suite: PlaywrightSuite): { projectName: string; status: string }[] {
  const own = (suite.specs ?? []).flatMap((spec) => spec.tests);
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
