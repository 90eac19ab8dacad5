import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { putConsoleSchedule, removeConsoleSchedule } from "@/lib/consoles/schedule";
import { pathIds } from "@/lib/http/ids";
import { scheduleBody, scheduleSchema } from "@/lib/schedules/schema";

const params = pathIds("workspaceId", "consoleId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PUT: route({
    summary: "Schedule a console",
    description:
      "It runs as whoever sets its schedule, and as it is saved by then. An hour that a clock change leaves out runs once at its end; one that comes twice runs once. What was missed while the server was away runs once.",
    tag: "Consoles",
    access: member,
    params,
    body: scheduleBody,
    response: scheduleSchema,
    failures: ["not_found"],
    refuses: {
      cron: "What is no cron expression of five fields, and what never comes",
      timezone: "Names that are no time zone",
    },
    message: "Schedule saved",
    handle: ({ caller, params, body }) => putConsoleSchedule(caller, params.consoleId, body),
  }),
  DELETE: route({
    summary: "Take a console's schedule away",
    tag: "Consoles",
    access: member,
    params,
    failures: ["not_found"],
    message: "Schedule removed",
    handle: ({ caller, params }) => removeConsoleSchedule(caller, params.consoleId),
  }),
});
