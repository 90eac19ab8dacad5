import { route } from "@/lib/features/accounts/route";
import { deleteDraft, findDraft, putDraft } from "@/lib/features/consoles/drafts";
import { draftSchema, putDraftBody } from "@/lib/features/consoles/schema";
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
    description: "Stores one draft per user and console without a commit. Drafts expire after 90 days without changes.",
    tag: "Consoles",
    access: member,
    params,
    body: putDraftBody,
    response: draftSchema,
    handle: ({ caller, params, body }) => putDraft(caller, params.consoleId, body),
  }),
  DELETE: route({
    summary: "Delete your draft of a console",
    tag: "Consoles",
    access: member,
    params,
    handle: ({ caller, params }) => deleteDraft(caller, params.consoleId),
  }),
});
