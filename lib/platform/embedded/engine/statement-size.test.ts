// @module-tag heavy
import { expect, it } from "vitest";
import { checkText } from "./guard";
import { checkText as checkSqlite } from "./sqlite/guard";

const TOO_LARGE = /^The statement (?:has more than|is nested deeper)/;
const within = (count: number, open: string, close: string) => `select ${open.repeat(count)}1${close.repeat(count)}`;

it.each<[string, string, boolean]>([
  ["500 brackets", within(500, "(", ")"), true],
  ["501 brackets", within(501, "(", ")"), false],
  ["a megabyte of brackets", "(".repeat(1_000_000), false],
  ["500 structs", `select ${"{'a': ".repeat(500)}1${"}".repeat(500)}`, true],
  ["501 structs", `select ${"{'a': ".repeat(501)}1${"}".repeat(501)}`, false],
  ["500 CASEs", within(500, "case when true then ", " end"), true],
  ["501 CASEs", within(501, "case when true then ", " end"), false],
  ["600 CASEs side by side", `select ${"case when true then 1 end + ".repeat(600)}1`, true],
  ["500 minus signs", `select ${"- ".repeat(500)}1`, true],
  ["501 minus signs", `select ${"- ".repeat(501)}1`, false],
  ["501 NOTs", `select ${"not ".repeat(501)}true`, false],
  ["1,000 differences", `select 1${" - 1".repeat(1000)}`, true],
  ["10,000 ORs", `select 1 where 1=1${" or 1=1".repeat(10_000)}`, true],
  ["10,001 ORs", `select 1 where 1=1${" or 1=1".repeat(10_001)}`, false],
  ["80,000 ORs", `select 1 where 1=1${" or 1=1".repeat(80_000)}`, false],
  ["1,000 UNIONs", `select 1${" union all select 1".repeat(1000)}`, true],
  ["1,001 UNIONs", `select 1${" union all select 1".repeat(1001)}`, false],
  ["100,000 values", `select 1 where 1 in (${"1,".repeat(100_000)}1)`, true],
  ["brackets in a string", `select '${"(".repeat(600)}'`, true],
  ["brackets in a comment", `select 1 /* ${"(".repeat(600)} */`, true],
  ["a name of 500,000 characters", `select 1 as "${"n".repeat(500_000)}"`, true],
  ["1 MiB", `select 1 as "${"n".repeat(1024 * 1024 - 14)}"`, true],
  ["1 MiB and a character", `select 1 as "${"n".repeat(1024 * 1024 - 13)}"`, false],
])("C3 checks the size of a statement before a file engine receives it: %s", (_, text, isTaken) => {
  for (const check of [checkText, checkSqlite]) {
    if (isTaken) check(text);
    else expect(() => check(text)).toThrow(TOO_LARGE);
  }
});
