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
    summary: "List app files, or get one",
    description:
      "Returns files from your branch (or main, if yours has no changes to the app) with your draft applied. Files over 1 MiB are available only as raw bytes.",
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
    summary: "Write an app file",
    description:
      "Saves the file to your draft. Send JSON up to 1 MiB, or raw bytes with any other Content-Type up to 25 MiB.",
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
    summary: "Delete an app file",
    description: "Deletes the file in your draft. The next commit removes it.",
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
