import { exchange, parseEnvelope, toApiError } from "@/lib/platform/browser/request";

/** An answer that is a file and no envelope. @throws ApiError for every answer that is not a success, and for none at all */
export async function readBytes(url: string, signal?: AbortSignal): Promise<Blob> {
  const { response, body } = await exchange("GET", url, { signal });
  if (response.ok) return body;
  throw toApiError(response.status, response.headers.get("retry-after"), parseEnvelope(await body.text()));
}
