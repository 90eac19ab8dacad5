import { beforeEach, expect, it, vi } from "vitest";
import { ThreadsBusy } from "@/lib/platform/process/limited-threads";
import { ThreadEnded } from "@/lib/platform/process/thread-pool";

const outcomes: (object | Error)[] = [];
vi.mock("@/lib/platform/process/limited-threads", async (original) => ({
  ...(await original<typeof import("@/lib/platform/process/limited-threads")>()),
  LimitedThreads: class {
    async run() {
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    }
  },
}));
const { judgeStatement: judge } = await import("./grammar");
const judgeStatement = (text: string, readOnly: boolean) => judge(text, readOnly, [], "one");

const OK = { status: "ok", uses: [] as object[] };
const REFUSED = { status: "refused", kind: "query_failed", message: "syntax error" };
const ENDED = () => new ThreadEnded("The worker thread exited unexpectedly.");
let statements = 0;
let query = "";
beforeEach(() => {
  outcomes.length = 0;
  query = `select a${statements++}`;
});

it("C2 rejects a statement whose thread ended, and checks it the next time", async () => {
  outcomes.push(ENDED(), OK);
  expect(await judgeStatement(query, true)).toMatchObject({ status: "refused", kind: "query_failed" });
  expect(await judgeStatement(query, true)).toEqual(OK);
});

it("C2 retries as long as threads end", async () => {
  outcomes.push(ENDED(), ENDED(), ENDED(), OK);
  for (const status of ["refused", "refused", "refused", "ok"]) {
    expect((await judgeStatement(query, true)).status).toBe(status);
  }
});

it.each([OK, REFUSED])("C2 caches the result for a short statement: %o", async (verdict) => {
  outcomes.push(verdict);
  expect(await judgeStatement(query, true)).toEqual(verdict);
  expect(await judgeStatement(query, true)).toEqual(verdict);
});

it("C2 answers 503 while the machine is too busy to check a statement, and not the next time", async () => {
  outcomes.push(new ThreadsBusy("The machine is too busy."), OK);
  await expect(judgeStatement(query, true)).rejects.toMatchObject({ kind: "unavailable", retryAfterSeconds: 5 });
  expect(await judgeStatement(query, true)).toEqual(OK);
});

it("C2 checks a statement again whose values another one of its shape does not have, only if they are read", async () => {
  const call = { kind: "f", schema: null, name: "query_to_xml", args: 4 };
  const nested = { ...OK, uses: [call] };
  outcomes.push(OK, nested, REFUSED);
  expect(await judgeStatement("select b from t where id = 0", true)).toEqual(OK);
  expect(await judgeStatement("select b from t where id = 7", true)).toEqual(OK);
  expect(await judgeStatement("select query_to_xml('', true, true, '')", true)).toEqual(nested);
  expect(await judgeStatement("select query_to_xml('delete from t', true, true, '')", true)).toEqual(REFUSED);
});
