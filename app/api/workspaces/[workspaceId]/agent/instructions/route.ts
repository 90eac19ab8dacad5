import { admin, member } from "@/lib/access/rules";
import { getInstructions, putInstructions } from "@/lib/agent/instructions";
import { instructionsBody, instructionsSchema } from "@/lib/agent/schema";
import { route } from "@/lib/api/route";
import { pathIds } from "@/lib/http/ids";

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
