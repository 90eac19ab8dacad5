import { listAgents } from "@/lib/features/agent/agents";
import { agentsAnswer } from "@/lib/features/agent/schema";
import { anyCredential } from "@/lib/platform/access/rules";
import { route } from "@/lib/platform/api/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List agent modes",
    description: "What each is for, and the tools that it has.",
    tag: "Agent",
    access: anyCredential,
    response: agentsAnswer,
    handle: () => listAgents(),
  }),
});
