import type { ObjectId } from "mongodb";
import { env } from "@/lib/platform/env";
import type { Sealed } from "@/lib/platform/secrets/seal";
import type { Share } from "./schema";

/** A shared item of one workspace: at most one share each. */
export type Shared = { workspaceId: ObjectId; kind: "dashboard" | "app"; resourceId: ObjectId };

export type ShareDoc = Shared & {
  _id: ObjectId;
  tokenHash: string;
  /** Encrypted link, so that those who manage the share can read it again. */
  token: Sealed;
  enabled: boolean;
  passwordHash: string | null;
  /** Changes with each password: visitors who used an older password must unlock the share again. */
  passwordId: ObjectId;
  expiresAt: Date | null;
  embed: boolean;
  embedOrigins: string[];
  createdBy: ObjectId;
  createdAt: Date;
  updatedAt: Date;
};

export function toShare(doc: ShareDoc, token: string): Share {
  return {
    enabled: doc.enabled,
    url: `${env().publicUrl}/share/${token}`,
    token,
    hasPassword: doc.passwordHash !== null,
    expiresAt: doc.expiresAt?.toISOString() ?? null,
    embed: doc.embed,
    embedOrigins: doc.embedOrigins,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
  };
}
