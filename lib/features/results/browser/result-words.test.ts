import { expect, test } from "vitest";
import { toChangeWord, toListedWords, toOutcomeWords, toTotalWords } from "./result-words";

test.each([
  ["delete from t", 150_003, "150,003 rows deleted"],
  ["DELETE FROM t", 0, "0 rows deleted"],
  ["insert into t values (1)", 1, "1 row inserted"],
  ["update t set a = 1", 2, "2 rows updated"],
  ["merge into t using s on a = b when matched then delete", 4, "4 rows merged"],
  ["replace into t values (1)", 2, "2 rows replaced"],
  ["with a as (select 1) delete from t", 3, "3 rows deleted"],
  ["db.t.deleteMany({})", 5, "5 rows deleted"],
  ["db.t.updateOne({}, {$set: {a: 1}})", 1, "1 row updated"],
  ["call p()", 7, "7 rows changed, 12 rows"],
  // MariaDB reports 0 for a procedure that returns rows.
  ["call p()", 0, "12 rows"],
  ["/* both */ call p()", 0, "12 rows"],
  ["delete from t returning a", 0, "0 rows deleted"],
  [null, 7, "7 rows changed"],
  ["select 1", null, "12 rows"],
] as const)("C44 describes what %j did", (query, affectedRows, words) => {
  expect(toOutcomeWords({ rowCount: 12, affectedRows }, query)).toBe(words);
});

test("C44 says nothing about an unknown count", () => {
  expect(toOutcomeWords({ rowCount: null, affectedRows: null }, "select 1")).toBeNull();
  expect(toChangeWord("select 1")).toBe("changed");
});

const outcome = (text: string, rowCount: number, affectedRows: number | null) => ({
  text,
  answer: { rowCount, affectedRows },
});

test.each([
  ["select alone", [outcome("select 1", 12, null)], "12 rows"],
  ["two selects", [outcome("select 1", 12, null), outcome("select 2", 1, null)], "13 rows"],
  ["an insert", [outcome("insert into t values (1)", 0, 1)], "1 row inserted"],
  ["an update of no row", [outcome("update t set a = 1", 0, 0)], "0 rows updated"],
  ["two deletes", [outcome("delete from t", 0, 2), outcome("delete from u", 0, 3)], "5 rows deleted"],
  ["unlike changes", [outcome("delete from t", 0, 2), outcome("update u set a = 1", 0, 3)], "5 rows changed"],
  ["a change and a select", [outcome("delete from t", 0, 2), outcome("select 1", 7, null)], "2 rows deleted, 7 rows"],
  ["RETURNING", [outcome("delete from t returning a", 2, 2)], "2 rows deleted"],
  ["a procedure with rows", [outcome("call p()", 12, 0)], "12 rows"],
  ["a procedure with rows and changes", [outcome("call p()", 12, 5)], "5 rows changed, 12 rows"],
  ["a procedure without rows", [outcome("call p()", 0, 0)], "0 rows changed"],
  ["a procedure and a delete", [outcome("call p()", 12, 0), outcome("delete from t", 0, 2)], "2 rows deleted, 12 rows"],
  ["DDL", [outcome("create table t (a int)", 0, null)], "0 rows"],
  ["no statement", [], "0 rows"],
] as const)("C44 sums up %s", (_, outcomes, words) => {
  expect(toTotalWords(outcomes)).toBe(words);
});

test.each([
  [100, 150, false, "Showing the first 100 of 150 results."],
  [100, 101, false, "Showing the first 100 of 101 results."],
  [1, 2, false, "Showing the first of 2 results."],
  [1, 90, false, "Showing the first of 90 results."],
  [100, 3000, false, "Showing the first 100 of 3,000 results."],
  [1, 2, true, "Showing the first of 2 results. Run the statement again to see the others."],
  [1, 10, true, "Showing the first of 10 results. Run the statement again to see the others."],
] as const)("C5 says that %i of %i results are shown", (listed, total, isKept, words) => {
  expect(toListedWords(listed, total, isKept)).toBe(words);
});

test.each([
  ["call p()", [{}], "0 rows"],
  ["call p()", [], "0 rows changed"],
  ["delete from t returning a", [{}], "0 rows deleted"],
] as const)("C44 distinguishes an empty result of %s from none", (query, fields, words) => {
  expect(toOutcomeWords({ rowCount: 0, affectedRows: 0, fields }, query)).toBe(words);
});
