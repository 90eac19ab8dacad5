import { route } from "@/lib/features/accounts/route";
import { listAgents } from "@/lib/features/agent/agents";
import { agentsAnswer } from "@/lib/features/agent/schema";
import { anyCredential } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List agent modes",
    description: "Returns each mode's purpose and tools.",
    tag: "Agent",
    access: anyCredential,
    response: agentsAnswer,
    handle: () => listAgents(),
  }),
});
