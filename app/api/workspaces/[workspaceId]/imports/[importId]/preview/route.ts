import { NDJSON } from "@/lib/base/values/ndjson";
import { route } from "@/lib/features/accounts/route";
import { importPreview, previewBody } from "@/lib/features/connections/imports/schema";
import { previewImport, withProgress } from "@/lib/features/connections/imports/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Preview an import",
    description:
      "Reads the whole file with the settings you send and detects the others. Returns columns with types, the first rows, and problems with line numbers. With Accept: application/x-ndjson, streams progress, then `data` or `error`. Disconnect to cancel.",
    tag: "Imports",
    access: member,
    params: pathIds("workspaceId", "importId"),
    body: previewBody,
    response: importPreview,
    outside: { 200: { [NDJSON]: null } },
    failures: ["not_allowed", "rate_limited", "timeout", "unavailable"],
    refuses: { settings: "A file that cannot be read with them" },
    handle: ({ caller, params, body, request, signal }) =>
      withProgress(request, signal, (options) => previewImport(caller, params.importId, body.settings, options)),
  }),
});
