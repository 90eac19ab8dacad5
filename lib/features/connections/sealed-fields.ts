import "server-only";
import { contextOf, registerSealedFields, sealedPathsIn } from "@/lib/platform/secrets/sealed-fields";
import { collections } from "./collections";

registerSealedFields({
  name: "connections",
  collection: collections.connections,
  paths: (doc) => sealedPathsIn(doc.secrets, "secrets"),
  context: contextOf,
});
