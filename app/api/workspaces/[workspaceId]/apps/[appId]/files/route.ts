import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { readFileBody } from "@/lib/features/apps/bodies";
import { deleteAppFile, listFiles, readAppFile, readBytesOf, writeAppFile } from "@/lib/features/apps/files";
import { appParams as params } from "@/lib/features/apps/params";
import { FILE_REFUSALS, WRITE_FAILURES, WRITE_REFUSALS } from "@/lib/features/apps/reference";
import { appFileSchema, putFileBody, readFileQuery, treeItemSchema, writeFileQuery } from "@/lib/features/apps/schema";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  GET: route({
    summary: "List the files of an app, or read one",
    description:
      "As you have them: the last commit of your branch, or of main as long as yours has nothing of its own in the app, with your draft on top. A file of more than 1 MiB comes as bytes alone.",
    tag: "Apps",
    access: member,
    params,
    query: readFileQuery,
    response: z.union([z.array(treeItemSchema), appFileSchema]),
    outside: { 200: { "application/octet-stream": null } },
    failures: ["too_large", "conflict"],
    refuses: FILE_REFUSALS,
    handle: async ({ caller, params: { appId }, query: { path, as, sha } }) => {
      if (path === undefined) return listFiles(caller, appId, sha);
      if (as !== "raw") return readAppFile(caller, appId, path, sha);
      const { content } = await readBytesOf(caller, appId, path, sha);
      // Members' files must not run on our origin.
      const headers = { "Content-Type": "application/octet-stream", "Content-Disposition": "attachment" };
      return new Response(new Uint8Array(content), { headers });
    },
  }),
  PUT: route({
    summary: "Write a file of an app",
    description:
      "Into your draft, which is kept until you commit or discard it. As JSON, 1 MiB at the most, or with any other Content-Type as bytes, 25 MiB at the most.",
    tag: "Apps",
    access: member,
    params,
    query: writeFileQuery,
    rawBody: { "application/json": putFileBody, "application/octet-stream": null },
    response: treeItemSchema,
    failures: WRITE_FAILURES,
    refuses: WRITE_REFUSALS,
    message: "File saved",
    handle: async ({ caller, params: { appId }, query: { path, oid }, request }) =>
      writeAppFile(caller, appId, path, await readFileBody(request), oid),
  }),
  DELETE: route({
    summary: "Delete a file of an app",
    description: "In your draft: the next commit takes it out.",
    tag: "Apps",
    access: member,
    params,
    query: writeFileQuery,
    failures: ["conflict", "too_large"],
    refuses: FILE_REFUSALS,
    message: "File deleted",
    handle: ({ caller, params: { appId }, query: { path, oid } }) => deleteAppFile(caller, appId, path, oid),
  }),
});
