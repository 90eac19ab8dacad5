import { anyCredential } from "@/lib/access/rules";
import { listAgents } from "@/lib/agent/agents";
import { agentsAnswer } from "@/lib/agent/schema";
import { route } from "@/lib/api/route";

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
