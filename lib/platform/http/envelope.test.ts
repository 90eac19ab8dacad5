import { MongoNetworkError, MongoNotConnectedError, MongoServerError, MongoTopologyClosedError } from "mongodb";
import { describe, expect, it } from "vitest";
import { failure } from "./envelope";
import { AppError, ERROR_STATUS, type ErrorKind } from "./errors";

const CONTEXT = { requestId: "r", method: "GET", route: "test", signal: new AbortController().signal };
const answer = async (thrown: unknown) => {
  const response = failure(thrown, CONTEXT);
  return { status: response.status, headers: response.headers, body: await response.json() };
};

describe("the response to a thrown error (T108)", () => {
  it.each(Object.entries(ERROR_STATUS))("%s is %d with its code", async (kind, status) => {
    const { body, ...rest } = await answer(new AppError(kind as ErrorKind, "What to do."));
    expect([rest.status, body]).toEqual([status, { success: false, error: "What to do.", code: kind }]);
    expect(rest.headers.get("cache-control")).toBe("no-store");
  });

  it.each([
    new Error("connect mongodb://app:s3cr3t@db.example"),
    new TypeError("Cannot read properties of undefined (reading 's3cr3t')"),
    Object.assign(new Error("s3cr3t"), { status: 418, expose: true, details: "s3cr3t" }),
    "s3cr3t",
    { error: "s3cr3t" },
    null,
    undefined,
  ])("is one fixed sentence for an unexpected error: %s", async (thrown) => {
    const { status, body } = await answer(thrown);
    expect(status).toBe(500);
    expect(body).toEqual({ success: false, error: expect.stringContaining("request ID"), code: "internal" });
    expect(JSON.stringify(body)).not.toContain("s3cr3t");
  });

  it("C36 is no failure if the client has left; another error after it is", async () => {
    const left = new AbortController();
    left.abort(new DOMException("", "AbortError"));
    const context = { ...CONTEXT, signal: left.signal };
    expect([failure(left.signal.reason, context).status, failure(new Error("s3cr3t"), context).status]).toEqual([
      499, 500,
    ]);
  });

  it("keeps the cause of an expected failure private", async () => {
    const { body } = await answer(new AppError("source_unreachable", "No answer.", { cause: new Error("s3cr3t") }));
    expect(body).toEqual({ success: false, error: "No answer.", code: "source_unreachable" });
  });

  it.each([
    new MongoNetworkError("connection 5 to db.example closed"),
    new MongoTopologyClosedError("Topology is closed"),
    new MongoNotConnectedError("Client must be connected"),
  ])("is 503 with Retry-After for an unavailable store: %s", async (thrown) => {
    const { status, headers, body } = await answer(thrown);
    expect([status, body.code]).toEqual([503, "unavailable"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(body.error).not.toContain("db.example");
  });

  it("is 507 with instructions for a store with a full disk, without its path", async () => {
    const errmsg = "The disk that holds /var/lib/millrace is full.";
    const { status, body } = await answer(new MongoServerError({ code: 14_031, errmsg }));
    expect([status, body.code]).toEqual([507, "storage_full"]);
    expect(body.error).toContain("Free some space");
    expect(body.error).not.toContain("/var");
  });

  it("has whole seconds in Retry-After", async () => {
    const { headers } = await answer(new AppError("rate_limited", "Wait.", { retryAfterSeconds: 7 }));
    expect(headers.get("retry-after")).toBe("7");
  });
});
