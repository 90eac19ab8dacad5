import { z } from "zod";
import { serveOAuth } from "@/lib/features/accounts/oauth";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Handle the OAuth callback",
    description:
      "Signs the user in and redirects to the app. Redirects browsers to the sign-in page if the sign-in fails.",
    tag: "Account",
    access: open,
    params: z.object({ provider: z.string() }),
    outside: { 302: {} },
    handle: ({ request, params }) => serveOAuth(request, params.provider),
  }),
});
