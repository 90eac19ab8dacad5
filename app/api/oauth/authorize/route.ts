import { decideAuthorization } from "@/lib/features/accounts/connected-apps/authorization-server";
import { authorizationDecisionBody, authorizationDecisionSchema } from "@/lib/features/accounts/connected-apps/schema";
import { route } from "@/lib/features/accounts/route";
import { account } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Allow or deny a client",
    description:
      "Records your decision about an authorization request, and returns the address of the client to open next. A new decision replaces the client's earlier access in this workspace.",
    tag: "OAuth",
    access: account,
    body: authorizationDecisionBody,
    response: authorizationDecisionSchema,
    failures: ["rate_limited"],
    refuses: { request: "An unknown client, or a return address that it did not register" },
    handle: ({ caller, body }) => decideAuthorization(caller, body),
  }),
});
