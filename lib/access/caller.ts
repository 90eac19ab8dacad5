import type { ObjectId } from "mongodb";
import type { UserDoc } from "@/lib/users/model";
import type { Role } from "./roles";

type Common = {
  user: UserDoc;
  /** The caller's role in the workspace that the identity was asked for; null when there is none. */
  role: Role | null;
};
/** Who sends a request. A key acts as its creator, inside its one workspace. */
export type Principal =
  | (Common & { via: "session"; sessionId: ObjectId; setCookie: string | null })
  | (Common & { via: "key"; keyId: ObjectId; workspaceId: ObjectId });
