import { nameOf } from "./grammar/column-facts";
import type { Schema } from "./schema";
import { SIMILAR, stemOf } from "./words";

/** Returns the columns that an unknown word may stand for, by their names: "profit" for `sales.margin`. */
export function similarColumns(word: string, { tables }: Schema): string[] {
  const others = SIMILAR.get(stemOf(word.toLowerCase())) ?? [];
  return tables.flatMap((table) =>
    table.columns
      .filter(({ words, isReference }) => !isReference && words.some((each) => others.includes(each)))
      .map((column) => nameOf({ table, column })),
  );
}
