import type { Field, WireValue } from "@/lib/base/values/fields";
import { isLarge, slicesOf } from "@/lib/base/values/slices";
import { numberText, textOf } from "@/lib/base/values/text-of";
import type { TextFormat } from "./byte-stream";

const NEEDS_QUOTES = /[",\r\n]/;

/**
 * RFC 4180: a header, CRLF after every record, quotes where needed. Exact: values are unchanged. Null is an empty field
 * and an empty text is a quoted one, so the two differ; lists and objects are JSON.
 */
export function csv(fields: readonly Field[]): TextFormat {
  const names = fields.map((field) => field.name);
  return {
    head: `${names.map(fieldText).join(",")}\r\n`,
    row: ({ columns }, row) => {
      let text = "";
      for (let index = 0; index < names.length; index += 1) {
        text += (index === 0 ? "" : ",") + fieldText(columns[index]?.[row] ?? null);
      }
      return `${text}\r\n`;
    },
    *pieces({ columns }, row) {
      for (let index = 0; index < names.length; index += 1) {
        if (index > 0) yield ",";
        yield* fieldPieces(columns[index]?.[row] ?? null);
      }
      yield "\r\n";
    },
  };
}

function* fieldPieces(value: WireValue): Generator<string, void> {
  if (typeof value !== "string" || !isLarge(value)) {
    yield fieldText(value);
    return;
  }
  const quote = NEEDS_QUOTES.test(value) ? '"' : "";
  yield quote;
  for (const slice of slicesOf(value)) yield slice.replaceAll('"', '""');
  yield quote;
}

function fieldText(value: WireValue): string {
  if (value === null) return "";
  if (typeof value === "number") return numberText(value);
  if (value === "") return '""';
  const text = textOf(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
