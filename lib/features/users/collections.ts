import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { UserDoc } from "./model";

export const collections = {
  users: declareCollection<UserDoc>("users", {
    isOfWorkspace: false,
    indexes: [{ key: { email: 1 }, unique: true, serves: "login; one account per address" }],
  }),
};
