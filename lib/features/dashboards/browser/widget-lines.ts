import type { WidgetData } from "@/lib/features/dashboards/schema";
import { lastOutage, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import type { FilteredRequest } from "@/lib/platform/browser/filtered";
import { ApiError, parseEnvelope, toApiError } from "@/lib/platform/browser/request";

const LINES = "application/x-ndjson";
/** Widgets that have arrived stay on the page; the others must be requested again. */
const CUT = "The response was interrupted. Try again.";

type Line = WidgetData | { end: true } | { error: string };

/**
 * Reads the data of widgets and reports each as soon as it arrives. Also accepts a server that responds all at once.
 * @throws ApiError when the request is refused or the response is incomplete; widgets reported by then count
 */
export async function readWidgetLines(
  request: FilteredRequest,
  onWidget: (widget: WidgetData) => void,
  signal?: AbortSignal,
): Promise<WidgetData[]> {
  const sentAfter = lastOutage();
  try {
    const { url, method, ...rest } = request;
    const response = await fetch(url, {
      method,
      headers: { accept: `${LINES}, application/json`, ...("body" in rest && { "content-type": "application/json" }) },
      ...("body" in rest && { body: JSON.stringify(rest.body) }),
      cache: "no-store",
      ...(signal && { signal }),
    });
    if (!response.ok || response.body === null || !response.headers.get("content-type")?.startsWith(LINES)) {
      const answer = parseEnvelope(await response.text());
      if (answer !== null) reportReachable(sentAfter);
      if (response.ok && answer?.success === true) return (answer.data as { widgets: WidgetData[] }).widgets;
      throw toApiError(response.status, response.headers.get("retry-after"), answer);
    }
    reportReachable(sentAfter);
    return await readLines(response.body, onWidget);
  } catch (cause) {
    if (signal?.aborted || cause instanceof ApiError) throw cause;
    reportUnreachable();
    throw ApiError.unreachable();
  }
}

async function readLines(
  body: ReadableStream<Uint8Array>,
  onWidget: (widget: WidgetData) => void,
): Promise<WidgetData[]> {
  const widgets: WidgetData[] = [];
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new ApiError(0, "cut", CUT);
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      const line = JSON.parse(text) as Line;
      if ("end" in line) return widgets;
      if (!("id" in line)) throw new ApiError(0, "cut", line.error);
      widgets.push(line);
      onWidget(line);
    }
  }
}
