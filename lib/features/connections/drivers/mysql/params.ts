import { TypedParameter } from "mysql2";
import { ExactNumber } from "@/lib/base/values/exact-json";
import { AppError } from "@/lib/platform/http/errors";
import { plainNumber } from "../shared/flows/rows";
import { checkText, positionalParams } from "../shared/params";

/** Maximum digits of a DECIMAL in MySQL and MariaDB. */
const DECIMAL_DIGITS_MAX = 65;
const DECIMAL_SCALE_MAX = 30;
/** Maximum placeholders, which the protocol counts in 16 bits. */
const PARAMS_MAX = 65_535;

/**
 * Returns values for `?`. Whole numbers are bound as integers, since LIMIT takes no others; lists and objects are JSON.
 * @throws AppError `invalid_request`
 */
export function toMysqlParams(params: unknown[] | Record<string, unknown> | undefined): readonly unknown[] {
  const values = positionalParams(params, "?");
  if (values.length > PARAMS_MAX)
    throw new AppError("invalid_request", `At most ${PARAMS_MAX} parameters per statement.`);
  return values.map((value) => {
    if (value === null || value === undefined) return null;
    if (typeof value === "string") return checkText(value);
    if (typeof value === "number" && Number.isSafeInteger(value)) return TypedParameter.LONGLONG(BigInt(value));
    if (value instanceof ExactNumber) return numberParam(value);
    return typeof value === "object" ? checkText(JSON.stringify(value)) : value;
  });
}

/**
 * Binds a number. A text would be compared to a number as a double.
 * @throws AppError `invalid_request` for more digits than a decimal has
 */
function numberParam(number: ExactNumber): unknown {
  if (number.isInt64) return TypedParameter.LONGLONG(BigInt(number.text));
  const text = plainNumber(number.text);
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  if (whole.length + fraction.length > DECIMAL_DIGITS_MAX || fraction.length > DECIMAL_SCALE_MAX) {
    throw new AppError(
      "invalid_request",
      `${number.text.slice(0, 60)} exceeds the decimal precision of this database.`,
    );
  }
  return TypedParameter.NEWDECIMAL(text);
}
