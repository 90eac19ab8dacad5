import { route } from "@/lib/features/accounts/route";
import { dropFavorite, keepFavorite } from "@/lib/features/apps/feed/views";
import { appParams as params } from "@/lib/features/apps/params";
import { getAppDocOrThrow } from "@/lib/features/apps/service";
import { member } from "@/lib/platform/access/rules";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route.methods({
  PUT: route({
    summary: "Add an app to your favourites",
    tag: "Apps",
    access: member,
    params,
    message: "Added to favourites",
    handle: async ({ caller, params: { appId } }) => keepFavorite(caller, await getAppDocOrThrow(caller, appId)),
  }),
  DELETE: route({
    summary: "Remove an app from your favourites",
    tag: "Apps",
    access: member,
    params,
    message: "Removed from favourites",
    handle: async ({ caller, params: { appId } }) => dropFavorite(caller, await getAppDocOrThrow(caller, appId)),
  }),
});
