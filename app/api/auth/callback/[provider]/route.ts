import { z } from "zod";
import { open } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { serveOAuth } from "@/lib/auth/oauth";

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
