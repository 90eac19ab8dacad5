import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { PreferencesDoc } from "./model";

export const collections = {
  preferences: declareCollection<PreferencesDoc>("preferences", {
    isOfWorkspace: false,
    indexes: [],
  }),
};
