import { expect, test } from "vitest";
import type { Execution } from "@/lib/features/query/schema";
import { ApiError } from "@/lib/platform/browser/request";
import { toFailedSubmission, toRecordedEnd } from "./submission";

const nothing = { written: 0, change: -1, conflicts: null };

test.each([
  [504, "timeout", { written: 3 }, { ...nothing, written: 3 }],
  [502, "source_unreachable", { written: 3, isUnknown: true }, { ...nothing, written: 3 }],
  [504, "timeout", { isUnknown: true }, nothing],
  [409, "cancelled", { written: 1 }, { ...nothing, written: 1 }],
  [400, "query_failed", { written: 2, change: 2 }, { ...nothing, written: 2, change: 0 }],
  [400, "invalid_request", [{ path: "changes.4.set", message: "m" }], { ...nothing, change: 4 }],
  [
    409,
    "conflict",
    { written: 1, conflicts: [{ change: 1, current: null }] },
    { written: 1, change: -1, conflicts: [{ change: 0, current: null }] },
  ],
])("reads the end of a submission from a %i %s", (status, code, details, end) => {
  expect(toFailedSubmission(new ApiError(status, code, "m", details))).toEqual({ ...end, message: "m" });
});

test("says what the database suggests", () => {
  const error = new ApiError(400, "query_failed", "Not authorized.", { change: 0, hint: "Grant it." });
  expect(toFailedSubmission(error)).toEqual({ ...nothing, change: 0, message: "Not authorized. Grant it." });
});

test("leaves the end to the query history without a response of the query", () => {
  expect(toFailedSubmission(ApiError.unreachable())).toBeNull();
  expect(toFailedSubmission(new ApiError(502, "unknown", "m"))).toBeNull();
});

test("reads the end of a submission from the query history", () => {
  const of = (execution: Partial<Execution>) => toRecordedEnd({ error: null, ...execution } as Execution);
  expect(of({ status: "running" })).toBeNull();
  expect(of({ status: "success", affectedRows: 2 })).toBe("success");
  expect(of({ status: "timeout", affectedRows: 2, error: "m" })).toEqual({ ...nothing, written: 2, message: "m" });
  expect(of({ status: "failure", affectedRows: null, error: "m" })).toEqual({ ...nothing, message: "m" });
});
