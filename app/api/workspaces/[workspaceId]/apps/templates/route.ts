import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { templateSchema } from "@/lib/apps/schema";
import { listTemplates } from "@/lib/apps/templates";
import { pathIds } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List what apps can begin with",
    tag: "Apps",
    access: member,
    params: pathIds("workspaceId"),
    response: z.array(templateSchema),
    handle: () => listTemplates(),
  }),
});
