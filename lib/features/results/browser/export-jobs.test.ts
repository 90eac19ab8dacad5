import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ExportJobs } from "@/lib/features/results/browser/export-jobs";
import type { ExportProgress, ExportRequest } from "@/lib/features/results/browser/export-rows";

const REQUEST = {} as ExportRequest;
const DONE: ExportProgress = { rows: 3, bytes: 30 };
const guards = new Set<unknown>();
beforeEach(() => {
  vi.stubGlobal("addEventListener", (_: string, guard: unknown) => guards.add(guard));
  vi.stubGlobal("removeEventListener", (_: string, guard: unknown) => guards.delete(guard));
});
afterEach(() => vi.unstubAllGlobals());

/** Jobs whose export ends when the test says so, and a file that counts what was discarded. */
function setUp() {
  const ends: { finish: (progress: ExportProgress) => void; fail: (error: Error) => void }[] = [];
  const jobs = new ExportJobs(
    (_request, _file, signal, onProgress) =>
      new Promise((resolve, reject) => {
        onProgress({ rows: 1, bytes: 10 });
        signal.addEventListener("abort", () => reject(signal.reason));
        ends.push({ finish: resolve, fail: reject });
      }),
  );
  const file = {
    aborted: 0,
    write: async () => {},
    close: async () => {},
    abort: async () => {
      file.aborted += 1;
    },
  };
  const workOf = (id: string) => jobs.find(id)?.work;
  return { jobs, file, ends, workOf };
}

describe("ExportJobs", () => {
  it("continues without its dialog, and guards the page until the last one ends", async () => {
    const { jobs, file, ends, workOf } = setUp();
    const first = jobs.start("a.csv", REQUEST, file);
    const second = jobs.start("b.csv", REQUEST, file);
    expect(workOf(first)).toEqual({ status: "running", progress: { rows: 1, bytes: 10 } });
    jobs.leave(first);
    ends[0]?.finish(DONE);
    await vi.waitFor(() => expect(workOf(first)).toEqual({ status: "done", progress: DONE }));
    expect(jobs.find(first)?.isWatched).toBe(false);
    expect(guards.size).toBe(1);
    ends[1]?.finish(DONE);
    await vi.waitFor(() => expect(workOf(second)?.status).toBe("done"));
    expect(guards.size).toBe(0);
    jobs.leave(second);
    expect(jobs.list().map(({ name }) => name)).toEqual(["a.csv"]);
  });

  it("discards the file of a cancelled and of a failed export", async () => {
    const { jobs, file, ends, workOf } = setUp();
    const cancelled = jobs.start("a.csv", REQUEST, file);
    jobs.cancel(cancelled);
    await vi.waitFor(() => expect(workOf(cancelled)).toEqual({ status: "cancelled" }));
    const failed = jobs.start("b.csv", REQUEST, file);
    ends[1]?.fail(new Error("The disk is full."));
    await vi.waitFor(() => expect(workOf(failed)).toEqual({ status: "failed", message: "The disk is full." }));
    expect(file.aborted).toBe(2);
    jobs.cancel(failed);
    expect(workOf(failed)?.status).toBe("failed");
  });
});
