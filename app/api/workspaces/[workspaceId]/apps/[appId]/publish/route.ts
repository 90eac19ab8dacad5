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
      "Merges your commits with main, builds the app, commits to main and publishes it. Returns 200 if it finishes within 30 seconds, otherwise 202 with an operation to poll. Returns 409 for uncommitted files, or for merge conflicts (`details.conflicts`; send `resolutions`). Returns 422 if the build fails; the operation has the log.",
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
