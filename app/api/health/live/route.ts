import { route } from "@/lib/features/accounts/route";
import { liveness, livenessSchema } from "@/lib/features/instance/health";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Check that the process is alive",
    description: "Returns 200 while the process answers, even if a part fails. Restart the server when this fails.",
    tag: "Service",
    access: open,
    worksWithoutStore: true,
    outside: { 200: { "application/json": livenessSchema } },
    handle: () => Response.json(liveness(), { headers: { "Cache-Control": "no-store" } }),
  }),
});
