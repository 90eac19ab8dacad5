import { route } from "@/lib/features/accounts/route";
import { dropFavorite, keepFavorite } from "@/lib/features/apps/feed/views";
import { appParams as params } from "@/lib/features/apps/params";
import { getAppDocOrThrow } from "@/lib/features/apps/service";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PUT: route({
    summary: "Keep an app among your favourites",
    tag: "Apps",
    access: member,
    params,
    message: "Kept",
    handle: async ({ caller, params: { appId } }) => keepFavorite(caller, await getAppDocOrThrow(caller, appId)),
  }),
  DELETE: route({
    summary: "Take an app from your favourites",
    tag: "Apps",
    access: member,
    params,
    message: "Taken out",
    handle: async ({ caller, params: { appId } }) => dropFavorite(caller, await getAppDocOrThrow(caller, appId)),
  }),
});
