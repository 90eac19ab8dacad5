import { NDJSON } from "@/lib/base/values/ndjson";
import { route } from "@/lib/features/accounts/route";
import { importBody, importedTable } from "@/lib/features/connections/imports/schema";
import { importTable, withProgress } from "@/lib/features/connections/imports/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Import an uploaded file",
    description:
      "Writes the rows into a table of the workspace's Files connection, all or none, and deletes the upload. Uses the settings of the last preview unless you send others. Rejected rows are stored in <table>_rejected. Returns 409 if the table exists and mode is create.",
    tag: "Imports",
    access: member,
    params: pathIds("workspaceId", "importId"),
    body: importBody,
    response: importedTable,
    outside: { 200: { [NDJSON]: null } },
    failures: [
      "conflict",
      "storage_full",
      "not_allowed",
      "rate_limited",
      "timeout",
      "unavailable",
      "source_unreachable",
      "query_failed",
    ],
    refuses: {
      settings: "A file that cannot be read with them",
      "settings.columns": "Columns that occur twice, or do not fit the table",
      rejected: "Rejected rows, with stop",
    },
    message: "Table imported",
    handle: ({ caller, params, body, request, signal }) =>
      withProgress(request, signal, (options) => importTable(caller, params.importId, body, options)),
  }),
});
