import { z } from "zod";
import { serveOAuth } from "@/lib/features/accounts/oauth";
import { route } from "@/lib/features/accounts/route";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The way back from GitHub or Google",
    description: "Opens the same kind of session as a login and leads into the product.",
    tag: "Account",
    access: open,
    params: z.object({ provider: z.string() }),
    outside: { 302: {} },
    handle: ({ request, params }) => serveOAuth(request, params.provider),
  }),
});
