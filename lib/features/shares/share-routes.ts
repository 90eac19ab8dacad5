import "server-only";
import type { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import { type Share, type ShareBody, shareBody, shareSchema } from "@/lib/features/shares/schema";
import type { Caller } from "@/lib/platform/access/caller";
import { member } from "@/lib/platform/access/rules";

/** A shareable kind of item, with the functions of its domain. */
type Sharing<P extends z.ZodType, Id> = {
  /** With its article, as in "How a dashboard is shared". */
  noun: string;
  /** Content that visitors see with the link, and the reason why not everyone may share it. */
  seen: string;
  params: P;
  idOf: (params: z.output<P>) => Id;
  get: (caller: Caller, id: Id) => Promise<Share | null>;
  put: (caller: Caller, id: Id, body: ShareBody) => Promise<Share>;
  remove: (caller: Caller, id: Id) => Promise<void>;
};

/** Returns the routes that manage an item's share. */
export function shareRoutes<P extends z.ZodType, Id>({ noun, seen, params, idOf, get, put, remove }: Sharing<P, Id>) {
  return route.methods({
    GET: route({
      summary: `Get the share of ${noun}`,
      description: "Returns null if it was never shared.",
      tag: "Shares",
      access: member,
      params,
      response: shareSchema.nullable(),
      failures: ["not_found"],
      handle: ({ caller, params: path }) => get(caller, idOf(path)),
    }),
    PUT: route({
      summary: `Share ${noun} by link`,
      description: `${seen}, so only its owner, admins and workspace owners can share it. Updates only the fields you send. A new password signs out current viewers.`,
      tag: "Shares",
      access: member,
      params,
      body: shareBody,
      response: shareSchema,
      failures: ["not_found", "forbidden"],
      refuses: {
        expiresAt: "A time in the past",
        embedOrigins: "Empty with `embed`",
      },
      message: "Share saved",
      handle: ({ caller, params: path, body }) => put(caller, idOf(path), body),
    }),
    DELETE: route({
      summary: `Stop sharing ${noun}`,
      description: "The link stops working. A new share gets a new link.",
      tag: "Shares",
      access: member,
      params,
      failures: ["not_found", "forbidden"],
      message: "Sharing stopped",
      handle: ({ caller, params: path }) => remove(caller, idOf(path)),
    }),
  });
}
