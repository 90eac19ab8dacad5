import { route } from "@/lib/features/accounts/route";
import { decidePlan } from "@/lib/features/agent/plans";
import { planAnswer, planDecisionBody } from "@/lib/features/agent/schema";
import { anyCredential } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Decide on a plan of the agent",
    description:
      "The agent asks by its tool `propose_plan`, whose `agentSessionId` the stream tells. Approved, its grants hold until the turn ends, and two hours at most; a decision after the stream has ended counts for the next turn. A settled plan is 409.",
    tag: "Agent",
    access: anyCredential,
    body: planDecisionBody,
    response: planAnswer,
    failures: ["not_found", "conflict"],
    refuses: { grants: "One that the plan does not ask for" },
    handle: ({ caller, body }) => decidePlan(caller, body),
  }),
});
