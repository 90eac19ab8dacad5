import { MongoNetworkError, MongoServerError } from "mongodb";
import { describe, expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { captureLog } from "@/test/security/log-lines";

/** Captures what one call of the logger writes: its lines, the first of them parsed. */
function written(work: () => void): { text: string; lines: string[]; entry: Record<string, unknown> } {
  const captured = captureLog();
  work();
  const text = captured.stop().join("");
  const lines = text.split("\n").filter(Boolean);
  return { text, lines, entry: JSON.parse(lines[0] ?? "null") };
}

describe("a log entry (T107)", () => {
  it.each([
    '\n{"level":30,"msg":"forged"}',
    "\r\n\u2028\u2029\u0085 next",
    "\u001b[2J\u001b[1;1H cleared",
    '"}\n{"x":"',
    "\u0000",
  ])("stays one line of JSON with %j in it", (name) => {
    const { lines, entry } = written(() => log.warn({ name, list: [name], err: new Error(name) }, `Hello ${name}`));
    expect(lines).toHaveLength(1);
    expect(entry).toMatchObject({ level: 40, name, msg: `Hello ${name}` });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(lines[0]).not.toMatch(/[\u0000-\u001f]/);
  });

  it("has an ISO time and no host name", () => {
    const { entry } = written(() => log.info("started"));
    expect(Object.keys(entry).sort()).toEqual(["level", "msg", "time"]);
    expect(entry.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it("survives values that JSON can't represent", () => {
    const circular: Record<string, unknown> = { big: 2n ** 70n };
    circular.self = circular;
    const { lines } = written(() => log.error({ circular }, "odd"));
    expect(lines).toHaveLength(1);
  });
});

describe("an unreachable store in the log", () => {
  it("is a warning without a stack, whatever the code that met it calls it", () => {
    const err = new MongoNetworkError("read ECONNRESET");
    const { lines, entry } = written(() => log.error({ err, job: "j" }, "a job could not be run"));
    expect(lines).toHaveLength(1);
    expect(entry).toMatchObject({ level: 40, job: "j", msg: "a job could not be run" });
    expect(entry.err).toEqual({ type: "MongoNetworkError", message: "read ECONNRESET" });
  });
});

describe("an error in the log (T47, T107)", () => {
  const marker = "s3cr3t-marker";

  it("shows type, message and stack, and no fields that drivers add", () => {
    const error = Object.assign(new MongoServerError({ message: "no" }), {
      options: { credentials: { password: marker } },
      connectionString: marker,
      cause: new Error(marker),
    });
    const { text, entry } = written(() => log.error({ err: error }, "failed"));
    expect(text).not.toContain(marker);
    expect(Object.keys(entry.err as object).sort()).toEqual(["message", "stack", "type"]);
  });

  it.each([
    `connect ECONNREFUSED mongodb://app:${marker}@db.example:27017/shop`,
    `password=${marker} host=db.example`,
    `{"password":"${marker}"}`,
    `Authorization: Bearer ${marker}`,
    `-----BEGIN PRIVATE KEY-----\n${marker}\n-----END PRIVATE KEY-----`,
  ])("is masked if its message or stack contains a secret: %j", (message) => {
    const { text } = written(() => log.error({ err: new Error(message, { cause: new Error(message) }) }, "failed"));
    expect(text).not.toContain(marker);
    expect(text).toContain("***");
  });

  it("does not include a thrown value that is not an error", () => {
    for (const thrown of [marker, { password: marker }, [marker], null, undefined, 7]) {
      expect(written(() => log.error({ err: thrown }, "failed")).text).not.toContain(marker);
    }
  });

  it("never shows a field with a secret's name, at the top level or one below", () => {
    const fields = { password: marker, token: marker, authorization: marker, cookie: marker, secret: marker };
    const { text } = written(() => log.info({ ...fields, apiKey: marker, headers: fields, config: fields }, "odd"));
    expect(text).not.toContain(marker);
  });

  it("omits details for the caller", () => {
    const error = new AppError("query_failed", "The query has failed.", { details: { statement: marker } });
    expect(written(() => log.error({ err: error }, "failed")).text).not.toContain(marker);
  });
});
