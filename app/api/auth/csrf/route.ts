import { z } from "zod";
import { serveOAuth } from "@/lib/features/accounts/oauth";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The token that starts a sign-in by a provider",
    description: "next-auth's own answer; 404 while no provider is set up.",
    tag: "Account",
    access: open,
    outside: { 200: { "application/json": z.object({ csrfToken: z.string() }) } },
    failures: ["not_found"],
    handle: ({ request }) => serveOAuth(request, null),
  }),
});
