import { AppError } from "@/lib/platform/http/errors";
import { checkText, positionalParams } from "../shared/params";

/** Maximum parameters, which the protocol counts in 16 bits. */
const PARAMS_MAX = 65_535;

/**
 * Returns values for `$1`, `$2` ... as texts that the server parses by the placeholders' types: a list is a PostgreSQL
 * array, an object is JSON.
 * @throws AppError `invalid_request`
 */
export function toPostgresParams(params: unknown[] | Record<string, unknown> | undefined): (string | null)[] {
  const values = positionalParams(params, "$1, $2 and so on");
  if (values.length > PARAMS_MAX) {
    throw new AppError(
      "invalid_request",
      `At most ${PARAMS_MAX} parameters per statement. Pass an array as one parameter.`,
    );
  }
  return values.map((value) => {
    if (value === null || value === undefined) return null;
    if (Array.isArray(value)) return arrayText(value);
    return scalarText(value);
  });
}

function scalarText(value: unknown): string {
  if (typeof value === "string") {
    if (value.includes("\0")) {
      throw new AppError("invalid_request", "PostgreSQL can't store NUL characters in text.");
    }
    return checkText(value);
  }
  return typeof value === "object" ? checkText(JSON.stringify(value)) : String(value);
}

function arrayText(items: readonly unknown[]): string {
  const texts = items.map((item) => {
    if (item === null || item === undefined) return "NULL";
    if (Array.isArray(item)) return arrayText(item);
    return `"${scalarText(item).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${texts.join(",")}}`;
}
