import { exchange, parseEnvelope, toApiError } from "@/lib/platform/browser/request";

/**
 * Returns a file, which has no envelope. @throws ApiError for every answer that is not a success, and for a missing one
 */
export async function readBytes(url: string, signal?: AbortSignal): Promise<Blob> {
  const { response, body } = await exchange("GET", url, { signal });
  if (response.ok) return body;
  throw toApiError(response.status, response.headers.get("retry-after"), parseEnvelope(await body.text()));
}
