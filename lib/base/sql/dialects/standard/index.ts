import type { Dialect } from "../dialect.ts";
import { COMMON, STANDARD_RULES } from "../shared.ts";

/** Engines without extensions to the strings, names and comments of the SQL standard. */
export const standard: Dialect = {
  ...COMMON,
  lexical: STANDARD_RULES,
  position: "position",
  editor: { base: "StandardSQL" },
  formatter: "sql",
};
