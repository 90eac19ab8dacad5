import { issueTokens } from "@/lib/features/accounts/connected-apps/authorization-server";
import { issuedTokens, oauthError } from "@/lib/features/accounts/connected-apps/schema";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Issue tokens",
    description:
      "Exchanges a code or a refresh token (RFC 6749). Each works once; a second use ends the access of the app.",
    tag: "OAuth",
    access: open,
    rawBody: { "application/x-www-form-urlencoded": null },
    outside: {
      200: { "application/json": issuedTokens },
      400: { "application/json": oauthError },
      401: { "application/json": oauthError },
    },
    failures: ["rate_limited"],
    handle: ({ request, address }) => issueTokens(request, address),
  }),
});
