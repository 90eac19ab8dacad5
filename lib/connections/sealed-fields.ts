import "server-only";
import { collections } from "@/lib/db/collections";
import { contextOf, registerSealedFields, sealedPathsIn } from "@/lib/secrets/sealed-fields";

// By the values' form and not by the driver's fields: a type that this server no longer has keeps its secrets readable.
registerSealedFields({
  name: "connections",
  collection: collections.connections,
  paths: (doc) => sealedPathsIn(doc.config, "config"),
  context: contextOf,
});
