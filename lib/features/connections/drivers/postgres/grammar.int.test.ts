import { expect, test } from "vitest";
import { judgeStatement as judge } from "./grammar";

const judgeStatement = (query: string, readOnly: boolean) => judge(query, readOnly, [], "one");

test("rejects ungrammatical statements and checks those before and after them", async () => {
  const breaking = `select ${"1+".repeat(400_000)}1`;
  const verdicts = await Promise.all([
    judgeStatement("select 1", true),
    judgeStatement(breaking, true),
    judgeStatement("select 2", true),
    judgeStatement("delete from a", true),
  ]);
  expect(verdicts.map((verdict) => verdict.status)).toEqual(["ok", "refused", "ok", "refused"]);
  await judgeStatement(`${breaking}+0`, true);
  expect(await judgeStatement("select 0 + 3", true)).toMatchObject({ status: "ok" });
}, 60_000);

test("does not block other work with a long statement", { tags: ["long"], timeout: 60_000 }, async () => {
  const long = `select 1 in (${"1,".repeat(150_000)}1)`;
  // This thread's processor time between two ticks, independent of the machine's load.
  let longestTurnMs = 0;
  let last = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    longestTurnMs = Math.max(longestTurnMs, (user + system) / 1000);
    last = process.threadCpuUsage();
  }, 5);
  expect(await judgeStatement(long, true)).toMatchObject({ status: "ok" });
  clearInterval(timer);
  // F15 allows 100 ms; the grammar itself takes ten times as long.
  expect(longestTurnMs).toBeLessThan(300);
});
