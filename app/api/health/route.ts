import { open } from "@/lib/auth/access";
import { health } from "@/lib/health";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Is the service ready",
    description: "503 while a part is missing or the server is stopping; `failing` then names the part.",
    tag: "Service",
    access: open,
    worksWithoutStore: true,
    produces: "application/json",
    handle: async () => {
      const answer = await health();
      const headers = { "Cache-Control": "no-store" };
      return Response.json(answer, { status: answer.status === "ok" ? 200 : 503, headers });
    },
  }),
});
