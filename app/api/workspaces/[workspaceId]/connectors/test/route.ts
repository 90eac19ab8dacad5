import { z } from "zod";
import { member } from "@/lib/access/rules";
import { route } from "@/lib/api/route";
import { testAnswer, testConnectionBody } from "@/lib/connections/schema";
import { testConfig } from "@/lib/connections/test-service";
import { objectId } from "@/lib/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Test settings before saving them",
    tag: "Connections",
    access: member,
    params: z.object({ workspaceId: objectId }),
    body: testConnectionBody,
    response: testAnswer,
    handle: ({ params, body, signal }) => testConfig(params.workspaceId, body, signal),
  }),
});
