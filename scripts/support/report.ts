/** The number of tests of a suite by outcome. */
export type Counts = { passed: number; failed: number; skipped: number };
export type SuiteResult = Counts & {
  name: string;
  seconds: number;
  isEmpty?: boolean;
  note?: string;
  /** Runs the files of the failed tests again; absent if the suite has none, or if more than tests failed. */
  repeat?: () => Promise<SuiteResult>;
};

/** The tests of one file. A failure outside of them, such as an import or a hook after all of them, makes it broken. */
export type TestFile = {
  file: string;
  isBroken: boolean;
  tests: { name: string; status: "passed" | "failed" | "skipped" }[];
};

/** The parts of Vitest's JSON report that are read. */
export type VitestReport = {
  testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
};

/** The parts of Playwright's JSON report that are read. */
export type PlaywrightSuite = {
  suites?: PlaywrightSuite[];
  specs?: {
    title: string;
    file: string;
    tests: { projectName: string; status: "expected" | "unexpected" | "flaky" | "skipped" }[];
  }[];
};

/** Maximum number of listed names: more failures have one common reason, which their reports show. */
const NAMES_MAX = 20;

/**
 * Maximum number of failed tests that `.ci/run` may repeat. More indicate a fault of the product, or of the machine.
 */
const REPEATS_MAX = 3;

/** Returns the files of a Vitest run. */
export function filesOfVitest(report: VitestReport): TestFile[] {
  return report.testResults.map(({ name, status, assertionResults }) => {
    const tests = assertionResults.map((test) => ({ name: test.fullName, status: statusOf(test.status) }));
    return { file: name, isBroken: status === "failed" && !tests.some(isFailed), tests };
  });
}

/** Returns the files of a Playwright run with tests of one project. */
export function filesOfPlaywright(report: PlaywrightSuite, project: string): TestFile[] {
  const specs = specsOf(report).map((spec) => ({
    file: spec.file,
    tests: spec.tests
      .filter((test) => test.projectName === project)
      .map((test) => ({ name: spec.title, status: statusOf(test.status) })),
  }));
  const byFile = Map.groupBy(specs, ({ file }) => file);
  return [...byFile]
    .map(([file, own]) => ({ file, isBroken: false, tests: own.flatMap(({ tests }) => tests) }))
    .filter(({ tests }) => tests.length > 0);
}

/** Counts tests, and names those that failed or passed at a second try. A broken file counts as one failed test. */
export function countFiles(files: readonly TestFile[], again: readonly string[] = []): Counts & { note?: string } {
  const tests = files.flatMap((file) => file.tests);
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  const broken = files.filter(({ isBroken }) => isBroken).map(({ file }) => file);
  const failed = tests.filter(isFailed).map(({ name }) => name);
  return {
    passed: count("passed"),
    failed: failed.length + broken.length,
    skipped: count("skipped"),
    ...noteOf({ failed: [...broken, ...failed], "at a second try": again }),
  };
}

/** Returns whether the failures are few enough to repeat, and all in suites that can repeat them. */
export function mayRepeat(results: readonly SuiteResult[]): boolean {
  const failed = results.filter((result) => result.failed > 0);
  return addCounts(failed).failed <= REPEATS_MAX && failed.every(({ repeat }) => repeat !== undefined);
}

/**
 * Replaces the files of the first run with those of a second one, and names the tests that passed only then. A test
 * that failed and that the second run neither passed nor failed remains failed.
 */
export function mergeRepeat(first: readonly TestFile[], second: readonly TestFile[]) {
  const again: string[] = [];
  const files = first.map((before) => {
    const after = second.find(({ file }) => file === before.file);
    if (!after) return before;
    const failed = before.tests.filter(isFailed);
    const statusAfter = (name: string) => worst(after.tests.filter((test) => test.name === name));
    again.push(...failed.map(({ name }) => name).filter((name) => statusAfter(name) === "passed"));
    const lost = failed.filter(({ name }) => !["passed", "failed"].includes(statusAfter(name) ?? ""));
    const kept = after.tests.filter(({ name }) => !lost.some((test) => test.name === name));
    return { ...after, tests: [...kept, ...lost] };
  });
  return { files, again };
}

/** Returns a note with the names, for the last lines of the output. */
function noteOf(lists: Record<string, readonly string[]>): { note?: string } {
  const words = Object.entries(lists).flatMap(([label, names]) => {
    if (names.length === 0) return [];
    const more = names.length - NAMES_MAX;
    return `${label}: ${names.slice(0, NAMES_MAX).join("; ")}${more > 0 ? ` and ${more} more` : ""}`;
  });
  return words.length === 0 ? {} : { note: words.join("; ") };
}

function isFailed({ status }: { status: string }): boolean {
  return status === "failed";
}

/** Returns the worst outcome of several tests with one name. */
function worst(tests: TestFile["tests"]) {
  return (["failed", "passed", "skipped"] as const).find((status) => tests.some((test) => test.status === status));
}

/** Maps the status of both runners. A test that never ended has failed. */
function statusOf(word: string): "passed" | "failed" | "skipped" {
  if (word === "passed" || word === "expected") return "passed";
  return ["skipped", "pending", "todo", "disabled"].includes(word) ? "skipped" : "failed";
}

/**
 * Counts the test cases of a JUnit report. A run without a report, or with another failure, counts as failed.
 * @param xml the empty text if there is no report
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

function specsOf(suite: PlaywrightSuite): NonNullable<PlaywrightSuite["specs"]> {
  return [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];
}

/** Counts a suite that ran nothing as failed, since it proves nothing. */
export function demandSomething(result: SuiteResult): SuiteResult {
  return result.passed + result.failed === 0 ? { ...result, failed: 1, isEmpty: true } : result;
}

/** Returns a line for each suite, and the sum as the last line. */
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
