import { open } from "@/lib/auth/access";
import { serveOAuth } from "@/lib/auth/oauth";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The token that starts a sign-in by a provider",
    description: "next-auth's own answer; 404 while no provider is set up.",
    tag: "Account",
    access: open,
    produces: "application/json",
    handle: ({ request }) => serveOAuth(request, null),
  }),
});
