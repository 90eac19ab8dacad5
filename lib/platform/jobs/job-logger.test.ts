import { NonRetriableError, RetryAfterError } from "inngest";
import { MongoBulkWriteError, MongoNetworkError } from "mongodb";
import { expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { jobLogger, OutsideFailure } from "./job-logger";

function recorder() {
  const lines: [string, unknown][] = [];
  const line =
    (level: string) =>
    (...input: unknown[]) =>
      void lines.push([level, input.at(-1)]);
  const logger = {
    ...{ debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") },
    child: () => logger,
  };
  return { lines, logger: jobLogger(logger) };
}

it.each<[string, unknown, string]>([
  ["a receiver's refusal", new OutsideFailure("The receiver returned 500."), "warn"],
  ["a receiver that names a pause", new RetryAfterError("The receiver returned 503.", 1000), "warn"],
  ["a source that does not answer", new AppError("source_unreachable", "No answer."), "warn"],
  ["a query past its limit", new AppError("timeout", "Too long."), "warn"],
  ["a query that fails", new AppError("query_failed", "No such table."), "warn"],
  ["a store that is away", new AppError("unavailable", "Try again."), "warn"],
  ["a socket that breaks with the store", new MongoNetworkError("read ECONNRESET"), "warn"],
  [
    "a bulk write that the store's end interrupts",
    new MongoBulkWriteError(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }) as never, undefined as never),
    "warn",
  ],
  ["a fault of ours", new AppError("internal", "Something went wrong."), "error"],
  ["a plain error", new Error("unknown"), "error"],
  ["a programming error", new TypeError("x is not a function"), "error"],
  ["a range error", new RangeError("out of range"), "error"],
  ["a failure that no retry helps", new NonRetriableError("The rule is gone."), "error"],
  ["a thrown text", "text", "error"],
  ["nothing", undefined, "error"],
])("C36 logs %s as a job's failure at its level", (_, err, level) => {
  const { lines, logger } = recorder();
  logger.error({ err }, "Inngest function error");
  logger.child({ runID: "1" }).error({ err }, "Inngest step error");
  expect(lines).toEqual([
    [level, "Inngest function error"],
    [level, "Inngest step error"],
  ]);
});

it("C36 keeps the level of other log lines of the job runner's SDK", () => {
  const { lines, logger } = recorder();
  logger.debug("a");
  logger.info("b");
  logger.warn("c");
  logger.error("d");
  expect(lines.map(([level]) => level)).toEqual(["debug", "info", "warn", "error"]);
});
