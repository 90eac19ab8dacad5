import { route } from "@/lib/features/accounts/route";
import { CONFIG_REFUSALS, testConnectionRequest } from "@/lib/features/connections/reference";
import { testAnswer } from "@/lib/features/connections/schema";
import { testConfig } from "@/lib/features/connections/test-service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Test connection settings",
    tag: "Connections",
    access: member,
    isRead: true,
    params: pathIds("workspaceId"),
    body: testConnectionRequest,
    response: testAnswer,
    failures: ["address_refused", "rate_limited"],
    refuses: CONFIG_REFUSALS,
    handle: ({ caller, body, signal }) => testConfig(caller, body, signal),
  }),
});
