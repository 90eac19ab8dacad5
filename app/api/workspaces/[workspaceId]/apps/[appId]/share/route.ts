import { appParams as params } from "@/lib/features/apps/params";
import { getAppShare, putAppShare, removeAppShare } from "@/lib/features/apps/share";
import { shareRoutes } from "@/lib/features/shares/share-routes";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = shareRoutes({
  noun: "an app",
  seen: "Whoever has the link sees the app as it is published, without signing in. It shows its data to them",
  params,
  idOf: ({ appId }) => appId,
  get: getAppShare,
  put: putAppShare,
  remove: removeAppShare,
});
