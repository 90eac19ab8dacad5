import type { Schedule, ScheduleBody } from "@/lib/features/runs/schedules/schema";
import { send } from "@/lib/platform/browser/request";

const root = (workspaceId: string, consoleId: string) =>
  `/api/workspaces/${workspaceId}/consoles/${consoleId}/schedule`;

/** The schedule of a console. Each function throws ApiError. */
export const scheduleApi = {
  /** From then on it runs as whoever puts it. */
  put: (workspaceId: string, consoleId: string, body: ScheduleBody) =>
    send<Schedule>("PUT", root(workspaceId, consoleId), { body }),
  remove: (workspaceId: string, consoleId: string) => send<null>("DELETE", root(workspaceId, consoleId)),
};

export type { Schedule, ScheduleBody };
