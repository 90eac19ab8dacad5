import { z } from "zod";
import { serveOAuth } from "@/lib/features/accounts/oauth";
import { route } from "@/lib/features/accounts/route";
import { signInForm } from "@/lib/features/accounts/schema";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Sign in with GitHub or Google",
    description:
      "Accepts a form post with next-auth's csrfToken and redirects to the provider. Returns 404 if the provider is not configured.",
    tag: "Account",
    access: open,
    guardsOrigin: true,
    params: z.object({ provider: z.string() }),
    rawBody: { "application/x-www-form-urlencoded": signInForm },
    outside: { 200: { "application/json": z.object({ url: z.string() }) }, 302: {} },
    handle: ({ request, params }) => serveOAuth(request, params.provider),
  }),
});
