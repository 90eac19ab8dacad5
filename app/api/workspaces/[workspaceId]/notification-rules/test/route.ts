import { route } from "@/lib/features/accounts/route";
import { ADDRESS_REFUSALS, CHANNEL_REFUSALS } from "@/lib/features/notifications/reference";
import { testAnswer, testBody } from "@/lib/features/notifications/schema";
import { sendTest } from "@/lib/features/notifications/test-send";
import { admin, orAnyKey } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Send a test notification",
    description:
      "By a saved rule, or by a channel that is only being tried (with resourceType and resourceId). It is sent before the answer comes, once, and leaves no delivery. Ten an hour and workspace. A webhook that is not saved has no secret yet: its test is signed with one that nobody has.",
    tag: "Notifications",
    access: orAnyKey(admin),
    params: pathIds("workspaceId"),
    body: testBody,
    response: testAnswer,
    failures: ["not_found", "address_refused", "rate_limited"],
    refuses: { ...ADDRESS_REFUSALS, ...CHANNEL_REFUSALS },
    handle: ({ body, caller }) => sendTest(caller, body),
  }),
});
