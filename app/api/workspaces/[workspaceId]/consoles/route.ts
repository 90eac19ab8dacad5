import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { CONSOLE_REFUSALS } from "@/lib/features/consoles/reference";
import {
  consoleListQuery,
  consoleSchema,
  consoleSummarySchema,
  createConsoleBody,
} from "@/lib/features/consoles/schema";
import { createConsole, listConsoles } from "@/lib/features/consoles/service";
import { SAVE_FAILURES } from "@/lib/features/folders/reference";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List consoles",
    description: "Returns workspace consoles and your private ones, oldest first, without contents.",
    tag: "Consoles",
    access: member,
    params,
    query: consoleListQuery,
    response: z.array(consoleSummarySchema),
    handle: async ({ caller, query, headers }) => asArray(headers, await listConsoles(caller, query)),
  }),
  POST: route({
    summary: "Create a console",
    description: "Commits the console to the workspace repository.",
    tag: "Consoles",
    access: member,
    params,
    body: createConsoleBody,
    response: consoleSchema,
    failures: SAVE_FAILURES,
    refuses: CONSOLE_REFUSALS,
    status: 201,
    message: "Console created",
    handle: ({ caller, body }) => createConsole(caller, body),
  }),
});
