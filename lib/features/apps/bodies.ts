import "server-only";
import type { z } from "zod";
import { MAX_FILE_BYTES } from "@/lib/features/repository/limits";
import { BODY_LIMITS, parseJsonBytes, readRawBody } from "@/lib/platform/http/body";
import { AppError, toInputProblems } from "@/lib/platform/http/errors";
import { putFileBody } from "./schema";

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/**
 * Reads the content of an uploaded file: from JSON if the request says so, else the raw body.
 * @throws AppError too_large, invalid_request, unsupported_media_type for a compressed body
 */
export async function readFileBody(request: Request): Promise<Buffer> {
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) return readRawBody(request, MAX_FILE_BYTES);
  const { content, encoding } = judge(putFileBody, parseJsonBytes(await readRawBody(request, BODY_LIMITS.json)));
  return Buffer.from(content, encoding ?? "utf8");
}

/**
 * Reads an optional JSON body, which most requests leave out.
 * @throws AppError too_large, invalid_request, unsupported_media_type for any other body
 */
export async function readOptionalBody<T extends z.ZodType>(request: Request, schema: T): Promise<z.output<T>> {
  const bytes = await readRawBody(request, BODY_LIMITS.json);
  if (bytes.length === 0) return judge(schema, {});
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) {
    throw new AppError("unsupported_media_type", "Send JSON with Content-Type: application/json, or no body.");
  }
  return judge(schema, parseJsonBytes(bytes));
}

function judge<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const { data, error } = schema.safeParse(input);
  if (!error) return data;
  const details = toInputProblems(error.issues);
  throw new AppError("invalid_request", details[0] ? `${details[0].path}: ${details[0].message}` : "", { details });
}
