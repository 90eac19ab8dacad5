import { describe, expect, it } from "vitest";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";
import { AppError } from "@/lib/platform/http/errors";
import { requestIdOf } from "@/lib/platform/http/request-id";
import { log } from "@/lib/platform/log";
import { withLogContext } from "@/lib/platform/log/context";
import { captureLog } from "@/test/security/log-lines";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const of = (id: string) => requestIdOf(new Headers({ "X-Request-Id": id }));

describe("the request ID", () => {
  it.each([
    "a",
    "0123456789abcdef",
    "7f3c9a52-7b0e-4f7e-9d43-3c1f2a6f1f00",
    "Root=1-67891233-abcdef012345678912345678",
    "4bf92f3577b34da6a3ce929d0e0e4736/00f067aa0ba902b7",
    "node-1:55:req@eu.west+2",
    "x".repeat(128),
  ])("C36 is taken from the header: %s", (id) => expect(of(id)).toBe(id));

  it.each([
    "",
    " ",
    "x".repeat(129),
    "a b",
    "a,b",
    'a"b',
    "<script>",
    "a;b",
    "a{b}",
    "%0a",
    "é",
    "a\tb",
    "a\\b",
    "'",
    "`id`",
  ])("C36 is generated for an invalid header: %j", (id) => expect(of(id)).toMatch(UUID));

  it("C36 is generated without a header, a new one each time", () => {
    const ids = [requestIdOf(new Headers()), requestIdOf(new Headers())];
    for (const id of ids) expect(id).toMatch(UUID);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe("a request", () => {
  const answer = (thrown: unknown) => {
    const { GET } = route.methods({
      GET: route({
        summary: "Test",
        tag: "Test",
        access: open,
        worksWithoutStore: true,
        handle: async () => {
          log.info("within");
          throw thrown;
        },
      }),
    });
    const headers = { "X-Request-Id": "abc-1" };
    return GET(new Request("http://localhost/api/test", { headers }), { params: Promise.resolve({}) });
  };

  it("C36 has its ID in the response, and its ID and duration in each log line", async () => {
    const captured = captureLog();
    const response = await answer(new AppError("conflict", "Already there."));
    expect(response.headers.get("x-request-id")).toBe("abc-1");
    const lines = captured.stop().map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatchObject({ requestId: "abc-1", durationMs: expect.any(Number) });
    expect(lines[1]).toMatchObject({ level: 40, code: "conflict", msg: "Already there." });
  });

  const cause = Object.assign(new Error("connect ECONNREFUSED 10.0.0.1:5432"), { code: "ECONNREFUSED" });
  it.each([
    [new AppError("source_unreachable", "The source does not answer.", { cause }), 40, false],
    [new AppError("timeout", "It took too long.", { cause }), 40, false],
    [new AppError("unavailable", "Not now."), 40, false],
    [new AppError("storage_full", "Full.", { cause }), 40, false],
    [new AppError("sandbox_unavailable", "No sandbox."), 40, false],
    [new AppError("query_failed", "No such table."), 40, false],
    [new AppError("not_found", "Not there."), 30, false],
    [new TypeError("fetch failed", { cause }), 50, true],
    [new Error("a bug"), 50, true],
  ])("C36 that fails with %s is logged at level %i, with a stack: %s", async (thrown, level, hasStack) => {
    const captured = captureLog();
    await answer(thrown);
    const line = JSON.parse(captured.stop().at(-1) ?? "");
    expect(line.level).toBe(level);
    expect(JSON.stringify(line).includes("    at ")).toBe(hasStack);
  });
});

describe("a log line", () => {
  const written = (work: () => void) => {
    const captured = captureLog();
    work();
    return JSON.parse(captured.stop().join(""));
  };
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

  it.each([
    ["a receiver that refuses", refused, false],
    ["fetch that fails", new TypeError("fetch failed", { cause: refused }), false],
    ["an expected failure", new AppError("source_unreachable", "No answer.", { cause: refused }), false],
    ["an aborted request", new DOMException("This operation was aborted", "AbortError"), false],
    ["a fault of ours", new TypeError("Cannot read properties of undefined"), true],
    ["an endless recursion", new RangeError("Maximum call stack size exceeded"), true],
  ])("C36 of %s as a warning has a stack: %s", (_, err, hasStack) => {
    const { err: shown } = written(() => log.warn({ err }, "could not"));
    expect(shown).toMatchObject({ type: err.name, message: err.message });
    expect("stack" in shown).toBe(hasStack);
  });

  it("C36 as an error has its stack", () => {
    expect(written(() => log.error({ err: refused }, "could not")).err.stack).toContain("    at ");
  });

  it("C36 masks secrets in messages and causes without a stack", () => {
    const err = new Error("password=s3cret99", { cause: new Error("token: s3cret99") });
    expect(JSON.stringify(written(() => log.warn({ err }, "could not")))).not.toContain("s3cret99");
  });

  it("C36 has the fields of its request, also with two requests at once", async () => {
    const captured = captureLog();
    await Promise.all(
      ["one", "two"].map((requestId) =>
        withLogContext({ requestId, startedAt: 0, user: `user of ${requestId}` }, async () => {
          await Promise.resolve();
          log.info(requestId);
        }),
      ),
    );
    const lines = captured.stop().map((line) => JSON.parse(line));
    for (const { msg, requestId, user } of lines) expect([requestId, user]).toEqual([msg, `user of ${msg}`]);
  });
});
