import type { SchemaChoice } from "../../schema";

/** Converts a row of a schema's name and its number of tables, which is null where the user may not look inside. */
export function toSchemaChoice([name, tables]: readonly unknown[]): SchemaChoice {
  return { name: String(name), tables: tables === null ? null : Number(tables) };
}
