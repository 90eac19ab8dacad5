import type { Field } from "@/lib/base/values/fields";
import type { TextFormat } from "./byte-stream";
import { jsonRowWriter } from "./row-text";

/** One plain JSON object in each line, with a newline after each, including the last. */
export function ndjson(fields: readonly Field[]): TextFormat {
  const writer = jsonRowWriter(fields);
  return {
    head: "",
    row: (batch, row) => `${writer.row(batch, row)}\n`,
    *pieces(batch, row) {
      yield* writer.pieces(batch, row);
      yield "\n";
    },
  };
}
