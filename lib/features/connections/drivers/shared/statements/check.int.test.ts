import { describe, expect, it } from "vitest";
import { splitCases } from "@/test/cases";
import { checkStatementText, SHORT_CHARS_MAX, STATEMENT_CHARS_MAX } from "./check";

const MIB = 1024 * 1024;
const fill = (piece: string, chars = 300_000) => piece.repeat(Math.floor(chars / piece.length));
/** Maximum processor time of this thread in one tick of the event loop, in ms, independent of the machine's load. */
const TURN_MS = 100;

async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1000);
    last = process.threadCpuUsage();
  }, 5);
  await work();
  clearInterval(timer);
  return longest;
}

const mysql = (query: string) => checkStatementText("mysql", { query, readOnly: true, valueCount: 0 }, "one");
const trino = (query: string) => checkStatementText("trino", { query, readOnly: true }, "one");
const clickhouse = (query: string) =>
  checkStatementText("clickhouse", { query, readOnly: true, params: [], database: "d", functions: [] }, "one");
const CHECKS = { mysql, trino, clickhouse };

const TEXTS: Record<string, string> = {
  "values of a list": `select 1 in (${fill("1,")}1)`,
  brackets: `select ${fill("(", 150_000)}1${fill(")", 150_000)}`,
  "brackets without an end": `select ${fill("(")}`,
  "minus signs": `select ${fill("- ")}1`,
  CASE: `select ${fill("case when 1 then ", 150_000)}1${fill(" end", 30_000)}`,
  comments: `select ${fill("/* a */ ")}1`,
  "comments in comments": `select ${fill("/*", 150_000)}1${fill("*/", 150_000)}`,
  "a quote without an end": `select '${fill("a")}`,
  names: `select ${fill("f(a,")}1`,
  "tables of functions": `select * from ${fill("TABLE(")}1`,
  semicolons: `select 1${fill(";")}`,
  dots: `select ${fill("a.")}b`,
};

describe.each(splitCases(Object.entries(TEXTS), 4))("C2", ({ tags, cases }) => {
  it.each(cases)("reads a long statement in a thread, with any result: %s", { tags }, async (_, text) => {
    const turn = await longestTurnMs(async () => {
      await Promise.allSettled(Object.values(CHECKS).map((check) => check(text)));
    });
    expect(turn).toBeLessThan(TURN_MS);
  });
});

it("C2 rejects 30,000 function names, and more names than the lookup limit, in a thread", async () => {
  const query = `select ${Array.from({ length: 30_000 }, (_, index) => `f${index}()`).join(", ")}`;
  await expect(mysql(query)).rejects.toMatchObject({ kind: "not_allowed", message: expect.stringMatching(/1000/) });
});

it("C2 returns the same result and error from a thread as inline", async () => {
  const long = (query: string) => `${query} /*${"x".repeat(SHORT_CHARS_MAX)}*/`;
  for (const readOnly of [true, false]) {
    for (const query of [
      "select a.f(b) from c.d",
      "select f(f(1)) from d, d",
      "select 1; select 2",
      "delete from a",
      "begin",
      "",
    ]) {
      const outcome = (text: string) =>
        checkStatementText("mysql", { query: text, readOnly, valueCount: 0 }, "one").then(
          ({ references }) => references,
          ({ kind, message, details }) => ({ kind, message, details }),
        );
      expect(await outcome(long(query))).toEqual(await outcome(query));
    }
  }
});

it("C2 sends Trino a long text without its semicolon", async () => {
  const query = `select '${"x".repeat(SHORT_CHARS_MAX)}'`;
  expect(await trino(`${query} ; `)).toEqual({ text: query });
});

it("C2 finds variables and placeholders in a long text", async () => {
  const query = `select {{a}}, ${"1,".repeat(SHORT_CHARS_MAX)}? , {{b}}`;
  const request = { query, language: "sql", dialect: "mysql" as const, own: /^[?]$/ };
  const { marks, ownPlaceholder } = await checkStatementText("variables", request, "one");
  expect([marks.map(({ name }) => name), ownPlaceholder]).toEqual([["a", "b"], "?"]);
});

it.each(Object.keys(CHECKS) as (keyof typeof CHECKS)[])("C2 rejects a text of more than 1 MiB on %s", async (name) => {
  await expect(CHECKS[name](`select '${"x".repeat(STATEMENT_CHARS_MAX)}'`)).rejects.toMatchObject({
    kind: "query_failed",
    message: expect.stringMatching(/^The statement is too long/),
  });
  expect(STATEMENT_CHARS_MAX).toBe(MIB);
});

it("C2 answers short statements of one connection while long ones of another wait", { tags: ["long"] }, async () => {
  const order: string[] = [];
  const long = Array.from({ length: 6 }, (_, index) =>
    checkStatementText("mysql", { query: TEXTS.brackets ?? "", readOnly: true, valueCount: 0 }, "long").then(
      () => order.push(`long ${index}`),
      () => order.push(`long ${index}`),
    ),
  );
  const query = `select '${"x".repeat(SHORT_CHARS_MAX)}'`;
  const other = checkStatementText("mysql", { query, readOnly: true, valueCount: 0 }, "other").then(() =>
    order.push("other"),
  );
  await Promise.all([...long, other]);
  expect(order.slice(0, 2)).toEqual(["long 0", "other"]);
});

it.each(Object.keys(CHECKS))("C2 reads a workspace's long %s statement while another one sends 200", async (name) => {
  const query = `select 1 /*${"x".repeat(SHORT_CHARS_MAX)}*/`;
  const ask = (tenant: string) => {
    if (name === "mysql") return checkStatementText("mysql", { query, readOnly: true, valueCount: 0 }, tenant);
    if (name === "trino") return checkStatementText("trino", { query, readOnly: true }, tenant);
    const request = { query, readOnly: true, params: [], database: "d", functions: [] };
    return checkStatementText("clickhouse", request, tenant);
  };
  const crowd = Promise.allSettled(Array.from({ length: 200 }, () => ask("crowd")));
  await ask("other");
  const refused = (await crowd).flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.kind] : []));
  expect(new Set(refused)).toEqual(new Set(["unavailable"]));
});
