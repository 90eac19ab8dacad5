import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { jsonSlices } from "@/lib/base/values/json-slices";
import { numberText } from "@/lib/base/values/text-of";

/** Writes rows of batches as JSON objects, with the columns' names as keys in their order. */
export type JsonRowWriter = {
  row: (batch: Batch, row: number) => string;
  /** Returns the same text in pieces, for a row with large cells. */
  pieces: (batch: Batch, row: number) => Iterable<string>;
};

export function jsonRowWriter(fields: readonly Field[]): JsonRowWriter {
  const keys = fields.map(({ name }, index) => {
    return `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`;
  });
  if (keys.length === 0) return { row: () => "{}", pieces: () => ["{}"] };
  return {
    row: ({ columns }, row) => {
      let text = "";
      for (let index = 0; index < keys.length; index += 1) {
        text += keys[index] + cellText(columns[index]?.[row] ?? null);
      }
      return `${text}}`;
    },
    *pieces({ columns }, row) {
      for (const [index, key] of keys.entries()) {
        yield key;
        yield* cellPieces(columns[index]?.[row] ?? null);
      }
      yield "}";
    },
  };
}

/** Returns the JSON of a value, with the sign of negative zero. */
export function cellText(value: WireValue): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string" || typeof value === "object") return JSON.stringify(value);
  return value ? "true" : "false";
}

function* cellPieces(value: WireValue): Generator<string, void> {
  if (typeof value === "number") yield numberText(value);
  else yield* jsonSlices(value);
}
