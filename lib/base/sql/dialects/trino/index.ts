import type { Dialect } from "../dialect.ts";
import { COMMON, STANDARD_RULES } from "../shared.ts";

export const trino: Dialect = {
  ...COMMON,
  lexical: { ...STANDARD_RULES, dollarTag: /\$\$/y, bodies: "program" },
  position: "strpos",
  editor: { base: "StandardSQL" },
  formatter: "trino",
  toPage: (rows, skipped) => (skipped === 0 ? ` limit ${rows}` : ` offset ${skipped} limit ${rows}`),
};
