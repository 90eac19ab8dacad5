import { route } from "@/lib/features/accounts/route";
import { CHANNEL_REFUSALS } from "@/lib/features/notifications/reference";
import { testAnswer, testBody } from "@/lib/features/notifications/schema";
import { sendTest } from "@/lib/features/notifications/test-send";
import { admin, orAnyKey } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send a test notification",
    description:
      "Uses a saved rule, or an unsaved channel with resourceType and resourceId. Sends once before responding and creates no delivery. Limit: ten per hour and workspace. Tests of unsaved webhooks are signed with a throwaway secret.",
    tag: "Notifications",
    access: orAnyKey(admin),
    params: pathIds("workspaceId"),
    body: testBody,
    response: testAnswer,
    failures: ["not_found", "address_refused", "rate_limited"],
    refuses: CHANNEL_REFUSALS,
    handle: ({ body, caller }) => sendTest(caller, body),
  }),
});
