import { route } from "@/lib/features/accounts/route";
import { appParams as params } from "@/lib/features/apps/params";
import { rollBack } from "@/lib/features/apps/publish/deployments";
import { publishedSchema, rollbackBody, startedEnvelope } from "@/lib/features/apps/publish/schema";
import { PUBLISH_FAILURES } from "@/lib/features/apps/reference";
import { member } from "@/lib/platform/access/rules";
import { success } from "@/lib/platform/http/envelope";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Roll back an app",
    description: "Serves an earlier version without building. Does not change main; the next publish builds on main.",
    tag: "Apps",
    access: member,
    params,
    body: rollbackBody,
    response: publishedSchema,
    outside: { 202: { "application/json": startedEnvelope } },
    failures: PUBLISH_FAILURES,
    message: "Rolled back",
    handle: async ({ caller, params: { appId }, body }) => {
      const { operationId, ...started } = await rollBack(caller, appId, body.sha);
      if (started.isDone) return started.published;
      return success({ operationId }, { status: 202, message: "Still rolling back" });
    },
  }),
});
