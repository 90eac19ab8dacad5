import type { Schedule, ScheduleBody } from "@/lib/features/runs/schedules/schema";
import { send } from "@/lib/platform/browser/request";

const root = (workspaceId: string, consoleId: string) =>
  `/api/workspaces/${workspaceId}/consoles/${consoleId}/schedule`;

/** API client of a console's schedule. Each function throws ApiError. */
export const scheduleApi = {
  /** Runs as the user who saves it from then on. */
  put: (workspaceId: string, consoleId: string, body: ScheduleBody) =>
    send<Schedule>("PUT", root(workspaceId, consoleId), { body }),
  remove: (workspaceId: string, consoleId: string) => send<null>("DELETE", root(workspaceId, consoleId)),
};
