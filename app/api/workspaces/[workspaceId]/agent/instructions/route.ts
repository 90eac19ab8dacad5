import { route } from "@/lib/features/accounts/route";
import { getInstructions, putInstructions } from "@/lib/features/agent/instructions";
import { instructionsBody, instructionsSchema } from "@/lib/features/agent/schema";
import { admin, member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get agent instructions",
    description: "Returns the instructions sent with every agent turn.",
    tag: "Agent",
    access: member,
    params,
    response: instructionsSchema,
    handle: ({ caller }) => getInstructions(caller),
  }),
  PUT: route({
    summary: "Update agent instructions",
    tag: "Agent",
    access: admin,
    params,
    body: instructionsBody,
    response: instructionsSchema,
    message: "Instructions saved",
    handle: ({ caller, body }) => putInstructions(caller, body.text),
  }),
});
