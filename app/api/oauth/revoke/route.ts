import { z } from "zod";
import { revokeToken } from "@/lib/features/accounts/connected-apps/authorization-server";
import { oauthError } from "@/lib/features/accounts/connected-apps/schema";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Revoke a token",
    description:
      "Revokes a token (RFC 7009). A refresh token ends the access of the app. An unknown token is answered alike.",
    tag: "OAuth",
    access: open,
    rawBody: { "application/x-www-form-urlencoded": null },
    outside: {
      200: { "application/json": z.object({}) },
      400: { "application/json": oauthError },
    },
    failures: ["rate_limited"],
    handle: ({ request, address }) => revokeToken(request, address),
  }),
});
