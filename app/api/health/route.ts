import { open } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { answerHealth, healthSchema } from "@/lib/lifecycle/health";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Is the service ready",
    description: "503 while a part is missing or the server is stopping; `failing` then names the part.",
    tag: "Service",
    access: open,
    worksWithoutStore: true,
    outside: { 200: { "application/json": healthSchema }, 503: { "application/json": healthSchema } },
    handle: answerHealth,
  }),
});
