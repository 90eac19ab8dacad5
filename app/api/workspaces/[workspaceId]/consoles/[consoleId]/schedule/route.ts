import { route } from "@/lib/features/accounts/route";
import { putConsoleSchedule, removeConsoleSchedule } from "@/lib/features/consoles/schedule";
import { SCHEDULE_REFUSALS, SCHEDULE_RULE } from "@/lib/features/runs/schedules/reference";
import { scheduleBody, scheduleSchema } from "@/lib/features/runs/schedules/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "consoleId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PUT: route({
    summary: "Schedule a console",
    description: `Runs the latest saved version as the user who set the schedule. ${SCHEDULE_RULE}`,
    tag: "Consoles",
    access: member,
    params,
    body: scheduleBody,
    response: scheduleSchema,
    failures: ["not_found"],
    refuses: SCHEDULE_REFUSALS,
    message: "Schedule saved",
    handle: ({ caller, params, body }) => putConsoleSchedule(caller, params.consoleId, body),
  }),
  DELETE: route({
    summary: "Delete a console's schedule",
    tag: "Consoles",
    access: member,
    params,
    failures: ["not_found"],
    message: "Schedule removed",
    handle: ({ caller, params }) => removeConsoleSchedule(caller, params.consoleId),
  }),
});
