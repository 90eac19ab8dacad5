import { describe, expect, it } from "vitest";
import { defaultBackoff, retryAfterMs } from "./backoff";
import { canonicalJson } from "./canonical-json";
import { nextCronTime, parseCronTrigger, readCron } from "./cron";
import { durationMs } from "./duration";
import { EventsRefused, toEventDocs } from "./events";
import { FunctionRefused, readFunction } from "./functions";
import { hashSigningKey, isSigned, sign } from "./signature";
import { readAnswer } from "./step-results";
import { ulid } from "./ulid";

const NOW = Date.UTC(2026, 0, 1);

describe("canonical JSON", () => {
  it("follows RFC 8785, whose example this is", () => {
    const value = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts names by their UTF-16 code units", () => {
    const names = ["\u20ac", "\r", "\ufb33", "1", "\u{1f600}", "\u0080", "\u00f6"];
    const sorted = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\u{1f600}", "\ufb33"];
    const text = canonicalJson(Object.fromEntries(names.map((name) => [name, 0])));
    expect(text).toBe(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(",")}}`);
  });
});

describe("signatures", () => {
  const key = "signkey-test-00ff";
  it("are HMAC-SHA256 of the body and the timestamp, keyed with the text after the key's prefix", () => {
    // printf '{}1767225600' | openssl dgst -sha256 -hmac 00ff
    expect(sign("{}", key, NOW)).toBe(
      "t=1767225600&s=0eec410e0c37bd2fadfe7bf09a18f988fcf7dc0fc127cf34b64edb316262b714",
    );
  });

  it("are valid for five minutes on both sides, with either key", () => {
    const signature = sign("{}", key, NOW);
    for (const off of [-300_000, 0, 300_000]) expect(isSigned("{}", signature, ["00", key], NOW + off)).toBe(true);
    for (const off of [-301_000, 301_000]) expect(isSigned("{}", signature, [key], NOW + off)).toBe(false);
    expect(isSigned("{ }", signature, [key], NOW)).toBe(false);
    expect(isSigned("{}", signature, [], NOW)).toBe(false);
    expect(isSigned("{}", null, [key], NOW)).toBe(false);
  });

  it("proves the key by the hash of its bytes", () => {
    // printf '\x00\xff' | sha256sum
    expect(hashSigningKey(key)).toBe("signkey-test-06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8");
  });
});

describe("pauses between attempts", () => {
  it("are the runner's, each plus up to thirty seconds", () => {
    const pauses = [15, 30, 60, 120, 300, 600, 1200, 2400, 3600, 7200, 7200, 7200];
    for (const [attempt, seconds] of pauses.entries()) {
      for (let count = 0; count < 50; count += 1) {
        expect(defaultBackoff(attempt)).toBeGreaterThanOrEqual(seconds * 1000);
        expect(defaultBackoff(attempt)).toBeLessThan((seconds + 30) * 1000);
      }
    }
  });

  it.each([
    ["30", 30_000],
    ["0", 1000],
    ["999999999", 86_400_000],
    ["2026-01-01T00:01:00.000Z", 60_000],
    ["Thu, 01 Jan 2026 00:02:00 GMT", 120_000],
    ["soon", null],
    ["", null],
    [null, null],
  ])("Retry-After: %s", (text, ms) => {
    expect(retryAfterMs(text, NOW)).toBe(ms);
  });
});

it.each([
  ["10s", 10_000],
  ["1d2h", 93_600_000],
  ["1w", 604_800_000],
  ["", 0],
  [undefined, 0],
  ["2026-01-01T01:00:00Z", 3_600_000],
  ["2025-01-01T00:00:00Z", 0],
  ["367d", null],
  ["a while", null],
])("a time of %s", (text, ms) => {
  expect(durationMs(text, NOW)).toBe(ms);
});

describe("cron", () => {
  const next = (text: string, from: string, count: number) => {
    const { expression, zone } = parseCronTrigger(text);
    const times: string[] = [];
    for (let at: Date | null = new Date(from); times.length < count; ) {
      at = nextCronTime(expression, zone, at);
      if (at === null) break;
      times.push(at.toISOString().slice(5, 16));
    }
    return times;
  };

  it("reads a zone, and UTC without one", () => {
    expect(next("TZ=Europe/Vienna 0 9 * * 1", "2026-01-01T00:00:00Z", 1)).toEqual(["01-05T08:00"]);
    expect(next("0 9 * * *", "2026-01-01T00:00:00Z", 1)).toEqual(["01-01T09:00"]);
    expect(next("@hourly", "2026-01-01T00:00:00Z", 1)).toEqual(["01-01T01:00"]);
  });

  it("runs a skipped time once at the end of the gap when clocks go forward (F9)", () => {
    const text = "TZ=Europe/Vienna 30 2 * * *";
    expect(next(text, "2026-03-28T00:00:00Z", 3)).toEqual(["03-28T01:30", "03-29T01:00", "03-30T00:30"]);
    expect(next("TZ=Europe/Vienna 0,30 2 * * *", "2026-03-28T12:00:00Z", 2)).toEqual(["03-29T01:00", "03-30T00:00"]);
  });

  it("runs a repeated time once when clocks go back, and hourly schedules each hour (F9)", () => {
    expect(next("TZ=Europe/Vienna 30 2 * * *", "2026-10-24T12:00:00Z", 2)).toEqual(["10-25T00:30", "10-26T01:30"]);
    expect(next("TZ=Europe/Vienna 0 * * * *", "2026-10-24T23:30:00Z", 3)).toEqual([
      "10-25T00:00",
      "10-25T01:00",
      "10-25T02:00",
    ]);
  });

  it("never fires on a date that does not exist", () => {
    expect(next("0 0 31 2 *", "2026-01-01T00:00:00Z", 1)).toEqual([]);
  });

  it.each(["* * * *", "* * * * * *", "61 * * * *", "bogus", ""])("%s is rejected", (text) => {
    expect(() => readCron(text, "UTC")).toThrow();
  });

  it("rejects an unknown zone", () => {
    expect(() => readCron("0 9 * * *", "Mars/Base")).toThrow();
  });
});

describe("a function's declaration", () => {
  const declared = (more: Record<string, unknown>) => ({
    id: "app-fn",
    triggers: [{ event: "a" }],
    steps: { step: { runtime: { url: "http://x" } } },
    ...more,
  });

  it("defaults to five attempts", () => {
    expect(readFunction(declared({})).attemptsMax).toBe(5);
    expect(readFunction(declared({ steps: { step: { retries: { attempts: 0 } } } })).attemptsMax).toBe(1);
  });

  it.each([
    [{ throttle: { limit: 1, period: "1s" } }, "it uses throttle"],
    [{ debounce: { period: "1s" } }, "it uses debounce"],
    [{ batchEvents: { maxSize: 2 } }, "it uses batchEvents"],
    [{ singleton: { mode: "skip" } }, "it uses singleton"],
    [{ triggers: [{ event: "a/*" }] }, "*"],
    [{ triggers: [{ event: "a", expression: "event.data.a > 1" }] }, "the condition event.data.a > 1"],
    [{ triggers: [{ event: "a", expression: "event.data.function_id == 'app-other'" }] }, "condition"],
    [{ triggers: [{ cron: "bogus" }] }, "bogus"],
    [{ idempotency: "event.data.a" }, "it uses idempotency"],
    [{ concurrency: { limit: 1, key: "event.data.a + event.data.b" } }, "event.data.a + event.data.b"],
    [{ concurrency: { limit: 1, key: "other.data.a" } }, "other.data.a"],
    [{ concurrency: { limit: 0 } }, "concurrency"],
    [{ cancel: [{ event: "b" }] }, "it uses cancel"],
    [{ steps: { step: { retries: { attempts: 21 } } } }, "attempts"],
  ])("with %j is rejected by name", (more, reason) => {
    const read = () => readFunction(declared(more));
    expect(read).toThrow(FunctionRefused);
    expect(read).toThrow("app-fn");
    expect(read).toThrow(reason);
  });
});

it("counts a limit by the value at the path of its key", () => {
  const config = { id: "f", triggers: [], steps: { step: {} }, concurrency: { limit: 1, key: "event.data.a.b" } };
  const [limit] = readFunction(config).concurrency;
  const keyOf = (data: Record<string, unknown>) => limit?.key?.({ id: "1", name: "n", data, ts: 0, user: {} });
  expect([keyOf({ a: { b: 7 } }), keyOf({ a: 7 }), keyOf({})]).toEqual([7, undefined, undefined]);
});

describe("incoming events", () => {
  const docs = (input: unknown, seed: string | null = null) => toEventDocs(input, seed, "w", new Date(NOW));

  it("get the same IDs when the same request is repeated", () => {
    const seed = `${NOW},AAAAAAAAAAAAAA==`;
    const ids = () => docs([{ name: "a" }, { name: "a" }], seed).map(({ _id }) => _id);
    expect(ids()).toEqual(ids());
    expect(new Set(ids()).size).toBe(2);
  });

  it.each([
    [{}, 400],
    [{ name: "" }, 400],
    [{ name: "inngest/function.failed" }, 400],
    [{ name: "a", ts: 1 }, 400],
    [{ name: "a", data: [] }, 400],
    ["a", 400],
    [Array.from({ length: 5001 }, () => ({ name: "a" })), 400],
    [{ name: "a", data: { text: "x".repeat(512 * 1024) } }, 413],
  ])("%j are rejected", (input, status) => {
    try {
      docs(input);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(EventsRefused);
      expect(error).toMatchObject({ status });
    }
  });
});

describe("function responses", () => {
  const read = (status: number, headers: Record<string, string>, text: string | null) =>
    readAnswer({ status, headers, text }, NOW);
  const sdk = { "x-inngest-sdk": "inngest-js:v4.24.0" };

  it("are ignored unless an SDK sent them", () => {
    expect(read(200, {}, "1")).toMatchObject({ kind: "failed", isFinal: false });
    expect(read(206, {}, "[]")).toMatchObject({ kind: "failed", isFinal: false });
    expect(read(502, {}, "<html>")).toMatchObject({ kind: "failed", isFinal: false });
  });

  it("are failures if they are too large or contain invalid step IDs", () => {
    expect(read(200, sdk, null)).toMatchObject({ kind: "failed", isFinal: false });
    const operations = JSON.stringify([{ id: "a.$b", op: "StepRun", data: 1 }]);
    expect(read(206, sdk, operations)).toMatchObject({ kind: "failed" });
  });

  it("say whether and when to retry", () => {
    const error = JSON.stringify({ name: "E", message: "m", stack: "s" });
    expect(read(500, { ...sdk, "x-inngest-no-retry": "false", "retry-after": "30" }, error)).toMatchObject({
      error: { name: "E", message: "m" },
      isFinal: false,
      retryInMs: 30_000,
    });
    expect(read(400, { ...sdk, "x-inngest-no-retry": "true" }, error)).toMatchObject({ isFinal: true });
    expect(read(404, sdk, "{}")).toMatchObject({ isFinal: false });
  });
});

it("generates IDs that sort by time and are the same for the same seed", () => {
  const ids = [1, 2, 3].map((day) => ulid(new Date(Date.UTC(2026, 0, day))));
  expect(ids).toEqual(ids.toSorted());
  expect(ulid(new Date(NOW), "a")).toBe(ulid(new Date(NOW), "a"));
  expect(ulid(new Date(NOW), "a")).not.toBe(ulid(new Date(NOW), "b"));
  // The example of the specification: 01ARYZ6S41TSV4RRFFQ69G5FAV.
  expect(ulid(new Date(1_469_918_176_385)).slice(0, 10)).toBe("01ARYZ6S41");
});
