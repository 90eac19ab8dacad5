import { expect, test } from "vitest";
import {
  addCounts,
  countFiles,
  countJunit,
  demandSomething,
  filesOfPlaywright,
  filesOfVitest,
  mayRepeat,
  mergeRepeat,
  type SuiteResult,
  summary,
} from "./support/report";

const suite: SuiteResult = { name: "unit", passed: 3, failed: 0, skipped: 0, seconds: 1 };

test("ends with one summary line of all suites", () => {
  const text = summary([suite, { ...suite, name: "int", passed: 4, failed: 2, skipped: 1 }]);
  expect(text.split("\n").at(-1)).toBe("7 passed, 2 failed");
});

test("counts an empty suite as failed", () => {
  expect(demandSomething({ ...suite, passed: 0 })).toMatchObject({ failed: 1 });
  expect(demandSomething({ ...suite, passed: 0, skipped: 5 })).toMatchObject({ failed: 1 });
  expect(demandSomething(suite)).toEqual(suite);
});

const file = (statuses: Record<string, string>, status = "passed") => ({
  name: "/a.test.ts",
  status,
  assertionResults: Object.entries(statuses).map(([fullName, each]) => ({ fullName, status: each })),
});
const counted = (...files: ReturnType<typeof file>[]) => countFiles(filesOfVitest({ testResults: files }));

test("counts a test file that fails to load, or whose last hook fails, as failed", () => {
  expect(counted(file({ a: "passed" }), file({}, "failed"))).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
    note: "failed: /a.test.ts",
  });
  expect(counted(file({ a: "passed", b: "skipped", c: "todo" }, "failed"))).toMatchObject({ failed: 1, skipped: 2 });
  expect(counted(file({ a: "pending" }, "failed"))).toMatchObject({ passed: 0, failed: 1 });
});

test("names failed tests, up to a readable number", () => {
  const named = (count: number) =>
    counted(
      file({ held: "passed", ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, "failed"])) }),
    ).note;
  expect(named(0)).toBeUndefined();
  expect(named(2)).toBe("failed: t0; t1");
  expect(named(50)).toMatch(/^failed: t0; t1; .*; t19 and 30 more$/);
});

test("counts browser tests by project, through nested suites", () => {
  const spec = (projectName: string, status: "expected" | "unexpected" | "flaky" | "skipped") => ({
    title: `${projectName} is ${status}`,
    file: `${projectName}/x.spec.ts`,
    tests: [{ projectName, status }],
  });
  const report = {
    suites: [
      { specs: [spec("api", "expected"), spec("ui", "expected")], suites: [{ specs: [spec("api", "expected")] }] },
      { specs: [spec("api", "unexpected"), spec("api", "skipped")] },
    ],
  };
  expect(countFiles(filesOfPlaywright(report, "api"))).toEqual({
    passed: 2,
    failed: 1,
    skipped: 1,
    note: "failed: api is unexpected",
  });
  expect(countFiles(filesOfPlaywright(report, "ui"))).toEqual({ passed: 1, failed: 0, skipped: 0 });
  expect(filesOfPlaywright(report, "sweeps")).toEqual([]);
  // No run has retries: a run with them hides a failure.
  expect(countFiles(filesOfPlaywright({ specs: [spec("ui", "flaky")] }, "ui"))).toMatchObject({ passed: 0, failed: 1 });
});

test("repeats at most three failed tests, and only where nothing else failed", () => {
  const repeat = async () => suite;
  const failing = (failed: number) => ({ ...suite, failed, repeat });
  expect(mayRepeat([suite, failing(1), failing(2)])).toBe(true);
  expect(mayRepeat([suite, failing(3)])).toBe(true);
  expect(mayRepeat([suite])).toBe(true);
  expect(mayRepeat([failing(4)])).toBe(false);
  expect(mayRepeat([failing(2), failing(2)])).toBe(false);
  expect(mayRepeat([failing(1), { ...suite, failed: 1 }])).toBe(false);
});

test("names tests that pass on a retry, and keeps failures", () => {
  const filesOf = (...files: ReturnType<typeof file>[]) => filesOfVitest({ testResults: files });
  const merged = (first: Record<string, string>, second: Record<string, string>) => {
    const { files, again } = mergeRepeat(filesOf(file(first)), filesOf(file(second)));
    return countFiles(files, again);
  };
  const first = { a: "failed", b: "passed", c: "skipped" };
  expect(merged(first, { a: "passed", b: "passed", c: "skipped" })).toEqual({
    passed: 2,
    failed: 0,
    skipped: 1,
    note: "at a second try: a",
  });
  expect(merged(first, { ...first })).toEqual({ passed: 1, failed: 1, skipped: 1, note: "failed: a" });
  // Another test of the file fails in the second run.
  expect(merged(first, { a: "passed", b: "failed" })).toMatchObject({
    failed: 1,
    note: "failed: b; at a second try: a",
  });
  // The second run neither passed nor failed it.
  expect(merged(first, { a: "skipped", b: "passed" })).toMatchObject({ passed: 1, failed: 1, note: "failed: a" });
  expect(merged(first, { b: "passed" })).toMatchObject({ passed: 1, failed: 1, note: "failed: a" });
  // A second run that did not reach the file.
  expect(countFiles(mergeRepeat(filesOf(file(first)), []).files)).toMatchObject({ passed: 1, failed: 1 });
  // Files that passed are not run again.
  const other = { ...file({ d: "passed" }), name: "/b.test.ts" };
  const { files, again } = mergeRepeat(filesOf(file(first), other), filesOf(file({ a: "passed", b: "passed" })));
  expect(countFiles(files, again)).toMatchObject({ passed: 3, failed: 0 });
});

test("reads a JUnit report case by case, and fails without one or with an incomplete one", () => {
  const xml =
    '<testsuites><testsuite><testcase name="a" time="1"/><testcase name="b"><failure message="x"/><error/></testcase>' +
    '<testcase name="c"><skipped/></testcase><testcase name="d"></testcase></testsuite></testsuites>';
  expect(countJunit(xml, 1)).toEqual({ passed: 2, failed: 1, skipped: 1 });
  const passing = '<testsuite><testcase name="a"/></testsuite>';
  expect(countJunit(passing, 0)).toEqual({ passed: 1, failed: 0, skipped: 0 });
  expect(countJunit(passing, 2).failed).toBe(1);
  expect(countJunit("", 0).failed).toBe(1);
  expect(countJunit(passing, null).failed).toBe(1);
  expect(addCounts([countJunit(xml, 1), countJunit(passing, 0)])).toEqual({ passed: 3, failed: 1, skipped: 1 });
});

test("gives the reason of a skipped suite, which is not a failure", () => {
  const text = summary([suite, { ...suite, name: "reference", passed: 0, note: "left out: no Python" }]);
  expect(text.split("\n")).toEqual([
    expect.stringContaining("unit"),
    expect.stringMatching(/^reference .*\(left out: no Python\)$/),
    "3 passed, 0 failed",
  ]);
});
