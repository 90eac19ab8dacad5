import { z } from "zod";
import { serveOAuth } from "@/lib/features/accounts/oauth";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a CSRF token for provider sign-in",
    description: "Returns next-auth's response, or 404 if no provider is configured.",
    tag: "Account",
    access: open,
    outside: { 200: { "application/json": z.object({ csrfToken: z.string() }) } },
    failures: ["not_found"],
    handle: ({ request }) => serveOAuth(request, null),
  }),
});
