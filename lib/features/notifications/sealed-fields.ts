import "server-only";
import { contextOf, registerSealedFields, sealedPathsIn } from "@/lib/platform/secrets/sealed-fields";
import { collections } from "./collections";

registerSealedFields({
  name: "notification rules",
  collection: collections.notificationRules,
  paths: (doc) => sealedPathsIn(doc.channel, "channel"),
  context: contextOf,
});

registerSealedFields({
  name: "snapshots",
  collection: collections.snapshots,
  paths: (doc) => sealedPathsIn(doc.channel, "channel"),
  context: contextOf,
});
