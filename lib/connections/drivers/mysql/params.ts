import { TypedParameter } from "mysql2";
import { AppError } from "@/lib/http/errors";
import { checkText, positionalParams } from "../shared/params";

/** The protocol counts placeholders in 16 bits. */
const PARAMS_MAX = 65_535;

/**
 * Values for `?`. Whole numbers are bound as such, since LIMIT takes no others; lists and objects are JSON.
 * @throws AppError `invalid_request`
 */
export function toMysqlParams(params: unknown[] | Record<string, unknown> | undefined): readonly unknown[] {
  const values = positionalParams(params, "?");
  if (values.length > PARAMS_MAX)
    throw new AppError("invalid_request", `A statement takes at most ${PARAMS_MAX} values.`);
  return values.map((value) => {
    if (value === null || value === undefined) return null;
    if (typeof value === "string") return checkText(value);
    if (typeof value === "number" && Number.isSafeInteger(value)) return TypedParameter.LONGLONG(BigInt(value));
    return typeof value === "object" ? checkText(JSON.stringify(value)) : value;
  });
}
