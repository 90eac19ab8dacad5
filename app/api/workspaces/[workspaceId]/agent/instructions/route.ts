import { route } from "@/lib/features/accounts/route";
import { getInstructions, putInstructions } from "@/lib/features/agent/instructions";
import { instructionsBody, instructionsSchema } from "@/lib/features/agent/schema";
import { admin, member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Read the agent's instructions",
    description: "What the workspace tells its agent, in every turn.",
    tag: "Agent",
    access: member,
    params,
    response: instructionsSchema,
    handle: ({ caller }) => getInstructions(caller),
  }),
  PUT: route({
    summary: "Write the agent's instructions",
    tag: "Agent",
    access: admin,
    params,
    body: instructionsBody,
    response: instructionsSchema,
    message: "Instructions saved",
    handle: ({ caller, body }) => putInstructions(caller, body.text),
  }),
});
