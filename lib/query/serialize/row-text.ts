import type { Batch, Field, WireValue } from "@/lib/tabular/fields";

/** Writes rows of batches as JSON objects, whose keys are the columns' names in the order of the columns. */
export function jsonRowWriter(fields: readonly Field[]): (batch: Batch, row: number) => string {
  const keys = fields.map(({ name }, index) => {
    return `${index === 0 ? "{" : ","}${JSON.stringify(name)}:`;
  });
  if (keys.length === 0) return () => "{}";
  return ({ columns }, row) => {
    let text = "";
    for (let index = 0; index < keys.length; index += 1) {
      text += keys[index] + cellText(columns[index]?.[row] ?? null);
    }
    return `${text}}`;
  };
}

function cellText(value: WireValue): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string" || typeof value === "object") return JSON.stringify(value);
  return value ? "true" : "false";
}
