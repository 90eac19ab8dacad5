import { tableFromIPC } from "apache-arrow";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";

/**
 * Returns the rows of a stored result as a JSON response would contain them.
 * @param bytes an Arrow stream from the server: the metadata of each field names its type
 */
export function readArrowRows(bytes: Uint8Array): { fields: ResultField[]; rows: ResultRow[] } {
  const table = tableFromIPC(bytes);
  const fields = table.schema.fields.map(({ name, metadata }): ResultField => {
    const dbType = metadata.get("dbType");
    return { name, type: metadata.get("type") ?? "other", ...(dbType !== undefined && { dbType }) };
  });
  const columns = fields.map((field, index) => {
    const values = table.getChildAt(index);
    return (row: number) => toCellValue(values?.get(row) ?? null, field);
  });
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(fields.map(({ name }, index) => [name, columns[index]?.(row) ?? null])),
  );
  return { fields, rows };
}

function toCellValue(value: unknown, { type }: ResultField): CellValue {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  // JSON cannot represent the others.
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return toBase64(value);
  const text = String(value);
  // Nested values were serialised as text. Only these types can contain them: in other types such a text is a plain
  // string.
  return (type === "json" || type === "array" || type === "other") && /^[[{]/.test(text) ? parsed(text) : text;
}

function parsed(text: string): CellValue {
  try {
    return JSON.parse(text) as CellValue;
  } catch {
    return text;
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
