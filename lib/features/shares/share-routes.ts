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
      summary: `How ${noun} is shared`,
      description: "null when it never was.",
      tag: "Shares",
      access: member,
      params,
      response: shareSchema.nullable(),
      failures: ["not_found"],
      handle: ({ caller, params: path }) => get(caller, idOf(path)),
    }),
    PUT: route({
      summary: `Share ${noun} by a link`,
      description: `${seen}, so its owner, an admin or an owner of the workspace shares it. What is not sent stays; a new password locks those out who unlocked it by the old one.`,
      tag: "Shares",
      access: member,
      params,
      body: shareBody,
      response: shareSchema,
      failures: ["not_found", "forbidden"],
      refuses: {
        expiresAt: "A moment that has passed",
        embedOrigins: "None, with `embed`",
      },
      message: "Share saved",
      handle: ({ caller, params: path, body }) => put(caller, idOf(path), body),
    }),
    DELETE: route({
      summary: `End the share of ${noun}`,
      description: "Its link shows nothing any more; another share has another link.",
      tag: "Shares",
      access: member,
      params,
      failures: ["not_found", "forbidden"],
      message: "Share ended",
      handle: ({ caller, params: path }) => remove(caller, idOf(path)),
    }),
  });
}
