import "server-only";
import { collections } from "@/lib/db/collections";
import { contextOf, registerSealedFields, sealedPathsIn } from "@/lib/secrets/sealed-fields";

registerSealedFields({
  name: "connections",
  collection: collections.connections,
  paths: (doc) => sealedPathsIn(doc.secrets, "secrets"),
  context: contextOf,
});
