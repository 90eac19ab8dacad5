import { appParams as params } from "@/lib/features/apps/params";
import { getAppShare, putAppShare, removeAppShare } from "@/lib/features/apps/share";
import { shareRoutes } from "@/lib/features/shares/share-routes";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = shareRoutes({
  noun: "an app",
  seen: "Anyone with the link can view the published app and its data without signing in",
  params,
  idOf: ({ appId }) => appId,
  get: getAppShare,
  put: putAppShare,
  remove: removeAppShare,
});
