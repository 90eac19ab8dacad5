import { registerClient } from "@/lib/features/accounts/connected-apps/authorization-server";
import { oauthError, registeredClient } from "@/lib/features/accounts/connected-apps/schema";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Register a client",
    description:
      "Registers a public client (RFC 7591). Every client uses PKCE and has no secret. A registration without a consent expires after a day.",
    tag: "OAuth",
    access: open,
    rawBody: { "application/json": null },
    outside: {
      201: { "application/json": registeredClient },
      400: { "application/json": oauthError },
    },
    failures: ["rate_limited"],
    handle: ({ request, address }) => registerClient(request, address),
  }),
});
