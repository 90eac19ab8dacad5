import { route } from "@/lib/features/accounts/route";
import { importQuery, uploadedImport } from "@/lib/features/connections/imports/schema";
import { uploadImport } from "@/lib/features/connections/imports/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  POST: route({
    summary: "Upload a file to import",
    description:
      "Send a CSV, TSV, XLSX, JSON, NDJSON, Parquet or Arrow file as the raw body, up to 1 GiB. Only its uploader can see it. It is deleted after the import, or after 24 hours.",
    tag: "Imports",
    access: member,
    params: pathIds("workspaceId"),
    query: importQuery,
    rawBody: { "application/octet-stream": null },
    response: uploadedImport,
    failures: ["storage_full", "not_allowed"],
    status: 201,
    message: "File uploaded",
    handle: ({ caller, query, request }) => {
      const length = request.headers.get("content-length");
      return uploadImport(caller, query.name, request.body, length === null ? null : Number(length));
    },
  }),
});
