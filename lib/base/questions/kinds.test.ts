import { expect, it } from "vitest";
import { toQuestionKind } from "./kinds";

it.each([
  ["bigint unsigned", "number"],
  ["long", "number"],
  ["longtext", "text"],
  ["enum('a|b')", "text"],
  ["enum('json')", "text"],
  ["longtext /* json */", "other"],
  ["int | string", "other"],
  ["objectId", "other"],
  ["Nullable(DateTime)", "time"],
])("reads %s as %s", (type, kind) => {
  expect(toQuestionKind({ type })).toBe(kind);
});
