import { ExactNumber } from "@/lib/base/values/exact-json";
import { AppError } from "@/lib/platform/http/errors";
import { plainNumber } from "../shared/flows/rows";
import { checkText, positionalParams } from "../shared/params";

const DECIMAL_DIGITS_MAX = 38;

/**
 * Returns values for `?` as literals of EXECUTE ... USING, the protocol's only way to send them. A text cannot leave
 * its quotes: Trino's strings have no escapes but the doubled quote.
 * @throws AppError `invalid_request`
 */
export function toTrinoParams(params: unknown[] | Record<string, unknown> | undefined): string[] {
  return positionalParams(params, "?").map(literal);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : `DOUBLE '${value}'`;
  if (value instanceof ExactNumber) return numberLiteral(value);
  if (typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(", ")}]`;
  return `JSON ${quoted(JSON.stringify(value))}`;
}

/** Returns a number literal. @throws AppError `invalid_request` for more digits than a decimal has */
function numberLiteral(number: ExactNumber): string {
  if (number.isInt64) return number.text;
  const text = plainNumber(number.text);
  if (text.replace(/[-.]/g, "").length <= DECIMAL_DIGITS_MAX) return `DECIMAL '${text}'`;
  throw new AppError("invalid_request", `${number.text.slice(0, 60)} exceeds the decimal precision of Trino.`);
}

/** Returns a quoted literal. @throws AppError `invalid_request` */
export function quoted(text: string): string {
  return `'${checkText(text).replaceAll("'", "''")}'`;
}
