import { route } from "@/lib/features/accounts/route";
import { decidePlan } from "@/lib/features/agent/plans";
import { planAnswer, planDecisionBody } from "@/lib/features/agent/schema";
import { anyCredential } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Approve or reject an agent plan",
    description:
      "Answers a `propose_plan` call; the stream contains its `agentSessionId`. Grants last until the turn ends, at most two hours. A decision made after the stream ended applies to the next turn. Returns 409 if the plan is already decided, or was proposed again after the stated `revision`.",
    tag: "Agent",
    access: anyCredential,
    body: planDecisionBody,
    response: planAnswer,
    failures: ["not_found", "conflict"],
    refuses: { grants: "A grant that the plan did not request" },
    handle: ({ caller, body }) => decidePlan(caller, body),
  }),
});
