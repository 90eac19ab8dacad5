import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { fileSchema, uploadAnswer, uploadQuery } from "@/lib/features/connections/files/schema";
import { listFiles, storeFile } from "@/lib/features/connections/files/service";
import { member } from "@/lib/platform/access/rules";
import { pathIds } from "@/lib/platform/http/ids";
import { asArray } from "@/lib/platform/http/paging";
import { opaqueListQuery } from "@/lib/platform/http/schema";

const params = pathIds("workspaceId");

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List uploaded files",
    tag: "Connections",
    access: member,
    params,
    query: opaqueListQuery,
    response: z.array(fileSchema),
    refuses: { cursor: "An invalid cursor" },
    handle: async ({ caller, query, headers }) => asArray(headers, await listFiles(caller, query)),
  }),
  POST: route({
    summary: "Upload a database file",
    description: "Send the file as the raw body, up to 1 GiB. Uploads are atomic.",
    tag: "Connections",
    access: member,
    params,
    query: uploadQuery,
    rawBody: { "application/octet-stream": null },
    response: uploadAnswer,
    failures: ["conflict", "storage_full"],
    status: 201,
    message: "File uploaded",
    handle: ({ caller, query, request }) => {
      const length = request.headers.get("content-length");
      return storeFile(caller, query.name, request.body, length === null ? null : Number(length));
    },
  }),
});
