import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { CONFIG_REFUSALS, testConnectionRequest } from "@/lib/connections/reference";
import { testAnswer } from "@/lib/connections/schema";
import { testConfig } from "@/lib/connections/test-service";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Test settings before saving them",
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
