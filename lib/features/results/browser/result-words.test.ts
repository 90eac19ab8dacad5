import { expect, test } from "vitest";
import { toChangeWord, toOutcomeWords } from "./result-words";

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
  ["call p()", 7, "7 rows changed"],
  [null, 7, "7 rows changed"],
  ["select 1", null, "12 rows"],
] as const)("C44 says what %j did", (query, affectedRows, words) => {
  expect(toOutcomeWords({ rowCount: 12, affectedRows }, query)).toBe(words);
});

test("C44 says nothing of a count that is unknown", () => {
  expect(toOutcomeWords({ rowCount: null, affectedRows: null }, "select 1")).toBeNull();
  expect(toChangeWord("select 1")).toBe("changed");
});
