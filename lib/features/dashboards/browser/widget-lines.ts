import type { WidgetData } from "@/lib/features/dashboards/schema";
import type { FilteredRequest } from "@/lib/platform/browser/filtered";
import { linesCut, readLines } from "@/lib/platform/browser/lines";
import { ApiError } from "@/lib/platform/browser/request";

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
  const widgets: WidgetData[] = [];
  const fromWhole = (data: unknown): Line[] => [...(data as { widgets: WidgetData[] }).widgets, { end: true }];
  for await (const line of readLines<Line>(request, { signal, fromWhole })) {
    if ("end" in line) return widgets;
    if (!("id" in line)) throw new ApiError(0, "cut", line.error);
    widgets.push(line);
    onWidget(line);
  }
  throw linesCut();
}
