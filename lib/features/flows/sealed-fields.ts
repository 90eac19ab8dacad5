import "server-only";
import { contextOf, registerSealedFields } from "@/lib/platform/secrets/sealed-fields";
import { collections } from "./collections";

registerSealedFields({
  name: "flow webhooks",
  collection: collections.flowWebhooks,
  paths: () => ["token", "secret"],
  context: contextOf,
});
