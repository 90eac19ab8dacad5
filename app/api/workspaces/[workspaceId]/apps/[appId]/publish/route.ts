import { route } from "@/lib/features/accounts/route";
import { readOptionalBody } from "@/lib/features/apps/bodies";
import { appParams as params } from "@/lib/features/apps/params";
import { publishApp } from "@/lib/features/apps/publish/publish";
import { publishBody, publishedSchema, startedEnvelope } from "@/lib/features/apps/publish/schema";
import { PUBLISH_FAILURES, PUBLISH_REFUSALS } from "@/lib/features/apps/reference";
import { member } from "@/lib/platform/access/rules";
import { success } from "@/lib/platform/http/envelope";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Publish an app",
    description:
      "What you have committed of it is merged with main's, built, committed to main and then served. Within 30 seconds it answers 200, else 202, and the operation says how it goes on. 409 with files that you have not committed, and with what differs from main in the same lines (`details.conflicts`, which `resolutions` settle). 422 when the build fails: the operation has its output.",
    tag: "Apps",
    access: member,
    params,
    rawBody: { "application/json": publishBody },
    response: publishedSchema,
    outside: { 202: { "application/json": startedEnvelope } },
    failures: PUBLISH_FAILURES,
    refuses: PUBLISH_REFUSALS,
    message: "Published",
    handle: async ({ caller, params: { appId }, request }) => {
      const { operationId, ...started } = await publishApp(caller, appId, await readOptionalBody(request, publishBody));
      if (started.isDone) return started.published;
      return success({ operationId }, { status: 202, message: "Still publishing" });
    },
  }),
});
