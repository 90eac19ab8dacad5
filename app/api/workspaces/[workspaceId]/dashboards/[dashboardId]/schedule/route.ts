import { route } from "@/lib/features/accounts/route";
import { getRefreshSchedule, putRefreshSchedule, removeRefreshSchedule } from "@/lib/features/dashboards/refresh";
import { SCHEDULE_REFUSALS, SCHEDULE_RULE } from "@/lib/features/runs/schedules/reference";
import { scheduleBody, scheduleSchema } from "@/lib/features/runs/schedules/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "dashboardId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a dashboard's refresh schedule",
    description: "Returns null without a schedule.",
    tag: "Dashboards",
    access: member,
    params,
    response: scheduleSchema.nullable(),
    failures: ["not_found"],
    handle: ({ caller, params }) => getRefreshSchedule(caller, params.dashboardId),
  }),
  PUT: route({
    summary: "Schedule dashboard refreshes",
    description: `Data is read with the owner's permissions, regardless of who sets the schedule. ${SCHEDULE_RULE}`,
    tag: "Dashboards",
    access: member,
    params,
    body: scheduleBody,
    response: scheduleSchema,
    failures: ["not_found"],
    refuses: SCHEDULE_REFUSALS,
    message: "Schedule saved",
    handle: ({ caller, params, body }) => putRefreshSchedule(caller, params.dashboardId, body),
  }),
  DELETE: route({
    summary: "Delete a dashboard's schedule",
    tag: "Dashboards",
    access: member,
    params,
    failures: ["not_found"],
    message: "Schedule removed",
    handle: ({ caller, params }) => removeRefreshSchedule(caller, params.dashboardId),
  }),
});
