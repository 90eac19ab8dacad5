import type { Cube } from "@/lib/base/cubes/cube";
import type { ViewToken } from "@/lib/features/apps/view/schema";
import {
  type CubeAsk,
  type DataAsk,
  toDataQuery,
  toValuesQuery,
  type ValuesAsk,
} from "@/lib/features/dashboards/browser/client";
import type { FilterValues, SharedDashboard, WidgetData } from "@/lib/features/dashboards/schema";
import { sendFiltered } from "@/lib/platform/browser/filtered";
import { send } from "@/lib/platform/browser/request";

const root = (token: string) => `/api/share/${encodeURIComponent(token)}`;

/** Requests for anyone who has a share link, signed in or not. Each function throws ApiError. */
export const shareApi = {
  unlock: (token: string, password: string) => send<null>("POST", `${root(token)}/unlock`, { body: { password } }),
  mintViewToken: (token: string) => send<ViewToken>("POST", `${root(token)}/view-token`, { body: {} }),
  readDashboard: (token: string, signal?: AbortSignal) =>
    send<SharedDashboard>("GET", `${root(token)}/dashboard`, { signal }),
  readData: async (token: string, ask: Omit<DataAsk, "isRows">, signal?: AbortSignal) =>
    (await sendFiltered<{ widgets: WidgetData[] }>(`${root(token)}/data`, toDataQuery(ask), signal)).widgets,
  readCube: (token: string, widgetId: string, ask: CubeAsk, signal?: AbortSignal) =>
    sendFiltered<Cube>(`${root(token)}/widgets/${encodeURIComponent(widgetId)}/cube`, toDataQuery(ask), signal),
  readFilterValues: (token: string, filterId: string, ask: ValuesAsk, signal?: AbortSignal) =>
    sendFiltered<FilterValues>(
      `${root(token)}/filters/${encodeURIComponent(filterId)}/values`,
      toValuesQuery(ask),
      signal,
    ),
};
