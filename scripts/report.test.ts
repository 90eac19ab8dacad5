import { expect, test } from "vitest";
import {
  addCounts,
  countJunit,
  countPlaywright,
  countVitest,
  demandSomething,
  type SuiteResult,
  summary,
} from "./support/report";

const vitest = { numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, numTodoTests: 0, testResults: [] };
const suite: SuiteResult = { name: "unit", passed: 3, failed: 0, skipped: 0, seconds: 1 };

test("the last line is the sum of all suites and nothing else", () => {
  const text = summary([suite, { ...suite, name: "int", passed: 4, failed: 2, skipped: 1 }]);
  expect(text.split("\n").at(-1)).toBe("7 passed, 2 failed");
});

test("a suite that ran nothing counts as failed", () => {
  expect(demandSomething({ ...suite, passed: 0 })).toMatchObject({ failed: 1 });
  expect(demandSomething({ ...suite, passed: 0, skipped: 5 })).toMatchObject({ failed: 1 });
  expect(demandSomething(suite)).toEqual(suite);
});

test("a test file that could not be loaded counts as failed", () => {
  const report = { ...vitest, numFailedTests: 0, testResults: [{ name: "a", status: "failed", assertionResults: [] }] };
  expect(countVitest(report, 1)).toEqual({ passed: 3, failed: 1, skipped: 2, note: "failed: a" });
});

test("tests that failed are named, as many as one reads", () => {
  const named = (count: number) => {
    const assertionResults = Array.from({ length: count }, (_, i) => ({ status: "failed", fullName: `t${i}` }));
    const held = { status: "passed", fullName: "held" };
    const file = { name: "a", status: "failed", assertionResults: [held, ...assertionResults] };
    return countVitest({ ...vitest, testResults: [file] }, 1).note;
  };
  expect(named(0)).toBeUndefined();
  expect(named(2)).toBe("failed: t0; t1");
  expect(named(50)).toMatch(/^failed: t0; t1; .*; t19 and 30 more$/);
});

test("what passes at a second try is named, and too many of them have failed", () => {
  const counted = (count: number) => {
    const again = Array.from({ length: count }, (_, i) => ({
      status: "passed",
      fullName: `t${i}`,
      failureMessages: ["expected 1 to be 2"],
    }));
    const file = { name: "a", status: "passed", assertionResults: again };
    return countVitest({ ...vitest, numPassedTests: 10, numFailedTests: 0, testResults: [file] }, 0);
  };
  expect(counted(0)).toEqual({ passed: 10, failed: 0, skipped: 2 });
  expect(counted(2)).toEqual({ passed: 10, failed: 0, skipped: 2, note: "at a second try: t0; t1" });
  expect(counted(6)).toMatchObject({ passed: 4, failed: 6 });
});

test("an error outside of any test counts as failed", () => {
  expect(countVitest({ ...vitest, numFailedTests: 0 }, 1).failed).toBe(1);
  expect(countVitest({ ...vitest, numFailedTests: 0 }, 0).failed).toBe(0);
  expect(countVitest(vitest, 1).failed).toBe(1);
});

test("browser tests are counted by project, through nested suites, and what passes at a second try is named", () => {
  const spec = (projectName: string, status: "expected" | "unexpected" | "flaky" | "skipped") => ({
    title: `${projectName} is ${status}`,
    tests: [{ projectName, status }],
  });
  const report = {
    suites: [
      { specs: [spec("api", "expected"), spec("ui", "expected")], suites: [{ specs: [spec("api", "flaky")] }] },
      { specs: [spec("api", "unexpected"), spec("api", "skipped")] },
    ],
  };
  expect(countPlaywright(report, "api")).toEqual({
    passed: 2,
    failed: 1,
    skipped: 1,
    note: "failed: api is unexpected; at a second try: api is flaky",
  });
  expect(countPlaywright(report, "ui")).toEqual({ passed: 1, failed: 0, skipped: 0 });
  const many = { specs: Array.from({ length: 6 }, () => spec("ui", "flaky")) };
  expect(countPlaywright(many, "ui")).toMatchObject({ passed: 0, failed: 6 });
});

test("a JUnit report is counted case by case, and a run without one, or that broke off, is a failure", () => {
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

test("a suite that is left out says why, and is no failure", () => {
  const text = summary([suite, { ...suite, name: "reference", passed: 0, note: "left out: no Python" }]);
  expect(text.split("\n")).toEqual([
    expect.stringContaining("unit"),
    expect.stringMatching(/^reference .*\(left out: no Python\)$/),
    "3 passed, 0 failed",
  ]);
});
