import { route } from "@/lib/features/accounts/route";
import { deleteDraft, findDraft, putDraft } from "@/lib/features/consoles/drafts";
import { draftSchema, putDraftBody } from "@/lib/features/consoles/schema";
import { deleteDraftQuery } from "@/lib/features/folders/schema";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

const params = pathIds("workspaceId", "consoleId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "Get a console draft",
    description: "Returns your unsaved changes, or null.",
    tag: "Consoles",
    access: member,
    params,
    response: draftSchema.nullable(),
    handle: ({ caller, params }) => findDraft(caller, params.consoleId),
  }),
  PUT: route({
    summary: "Save your draft of a console",
    description:
      "Stores one draft per user and console without a commit. Drafts expire after 90 days without changes. Returns 409 with the stored draft in details.current if it is another one than `updatedAt` says.",
    tag: "Consoles",
    access: member,
    params,
    body: putDraftBody,
    response: draftSchema,
    failures: ["conflict"],
    handle: ({ caller, params, body }) => putDraft(caller, params.consoleId, body),
  }),
  DELETE: route({
    summary: "Delete your draft of a console",
    description: "Returns 409 with the stored draft in details.current if it is another one than `updatedAt` says.",
    tag: "Consoles",
    access: member,
    params,
    query: deleteDraftQuery,
    failures: ["conflict"],
    handle: ({ caller, params, query }) => deleteDraft(caller, params.consoleId, query.updatedAt),
  }),
});
