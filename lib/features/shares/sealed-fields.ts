import "server-only";
import { contextOf, registerSealedFields } from "@/lib/platform/secrets/sealed-fields";
import { collections } from "./collections";

registerSealedFields({
  name: "shares",
  collection: collections.shares,
  paths: () => ["token"],
  context: contextOf,
});
