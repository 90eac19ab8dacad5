import { route } from "@/lib/features/accounts/route";
import { answerHealth, healthSchema } from "@/lib/features/instance/health";
import { open } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Check service health",
    description: "Returns 503 while a component is down or the server is stopping. `failing` names the component.",
    tag: "Service",
    access: open,
    worksWithoutStore: true,
    outside: { 200: { "application/json": healthSchema }, 503: { "application/json": healthSchema } },
    handle: answerHealth,
  }),
});
