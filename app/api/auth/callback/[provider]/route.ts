import { z } from "zod";
import { open } from "@/lib/auth/access";
import { serveOAuth } from "@/lib/auth/oauth";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "The way back from GitHub or Google",
    description: "Opens the same kind of session as a login and leads into the product.",
    tag: "Account",
    access: open,
    params: z.object({ provider: z.string() }),
    produces: "text/html",
    handle: ({ request, params }) => serveOAuth(request, params.provider),
  }),
});
