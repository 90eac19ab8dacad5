import { expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { checkSecrets, checkStatement } from "./statement-guard";

function refusal(statement: string, database: string, params: [string, string][] = []): string | null {
  try {
    checkSecrets(checkStatement(statement, true), params, database);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.kind;
    throw error;
  }
}

test.each<[statement: string, database: string, expected: string | null, params?: [string, string][]]>([
  ["show create user default", "shop", "not_allowed"],
  ["SHOW /* */ CREATE USERS", "shop", "not_allowed"],
  ["show create named collection a", "shop", "not_allowed"],
  ["show access", "shop", "not_allowed"],
  ["select * from system.users", "shop", "not_allowed"],
  ["select * from `system`.`users`", "shop", "not_allowed"],
  ['select auth_params from "system" . users', "shop", "not_allowed"],
  ["select * from users", "system", "not_allowed"],
  ["select * from {t:Identifier}", "system", "not_allowed", [["param_t", "users"]]],
  ["select * from system.{t:Identifier}", "shop", "not_allowed", [["param_t", "named_collections"]]],
  ["select * from {d:Identifier}.users", "shop", "not_allowed", [["param_d", "system"]]],
  ["select * from merge('system', '^users$')", "shop", "not_allowed"],
  ["select * from merge(system, '.*')", "shop", "not_allowed"],
  ["select * from merge('u.*')", "system", "not_allowed"],
  ["select * from system.named_collections", "shop", "not_allowed"],
  ["describe system.users", "shop", "not_allowed"],
  ["with a as (select * from system.users) select * from a", "shop", "not_allowed"],
  ["show users", "shop", null],
  ["show grants", "shop", null],
  ["show create table users", "shop", null],
  ["select * from users", "shop", null],
  ["select * from shop.users", "shop", null],
  ["select * from system.tables", "shop", null],
  ["select name from system.columns where table = 'users'", "shop", null],
  ["select * from merge('shop', '^users$')", "shop", null],
])("C24 %s on a connection to %s: %s", (statement, database, expected, params) => {
  expect(refusal(statement, database, params)).toBe(expected);
});
