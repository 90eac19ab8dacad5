import { MongoServerSelectionError } from "mongodb";
import { expect, it } from "vitest";
import { captureLog } from "@/test/security/log-lines";
import { notePageFailure } from "./page-failure";

it("logs a page that finds no store as one warning without a stack, and a fault with its stack", () => {
  const log = captureLog();
  const away = new MongoServerSelectionError("connect ECONNREFUSED", {} as never);
  notePageFailure(Object.assign(away, { digest: "123" }), "/share/[token]");
  notePageFailure(new TypeError("x is undefined"), "/w/[slug]");
  const [expected, fault] = log.stop().map((line) => JSON.parse(line));
  expect(expected).toMatchObject({ level: 40, route: "/share/[token]", errorId: "123", msg: "a page failed" });
  expect(expected.err).toEqual({ type: "MongoServerSelectionError", message: "connect ECONNREFUSED" });
  expect(fault).toMatchObject({
    level: 50,
    route: "/w/[slug]",
    err: { stack: expect.stringContaining("page-failure") },
  });
});
