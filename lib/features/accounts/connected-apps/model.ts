import type { ObjectId } from "mongodb";
import type { Scope } from "@/lib/platform/access/caller";

/** A client that registered itself (RFC 7591). It has no secret: PKCE binds its codes to it. */
export type OAuthClientDoc = {
  _id: ObjectId;
  clientId: string;
  name: string;
  redirectUris: string[];
  createdAt: Date;
  expiresAt: Date;
};

/** A person's permission for one client in one workspace. Its tokens end with it. */
export type ConnectedAppDoc = {
  _id: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  clientId: string;
  name: string;
  host: string;
  scopes: Scope[];
  createdAt: Date;
  lastUsedAt: Date | null;
  /** Tool calls per day in UTC, in days since 1970, by the slot of the day; absent before the first use. */
  calls?: Record<string, { day: number; count: number }>;
  expiresAt: Date;
};

/** `hash` is the SHA-256 of the token, in hex. `deleteAt` is later than `expiresAt` where reuse must be recognised. */
export type OAuthTokenDoc = {
  _id: ObjectId;
  hash: string;
  kind: "code" | "access" | "refresh";
  appId: ObjectId;
  workspaceId: ObjectId;
  userId: ObjectId;
  clientId: string;
  scopes: Scope[];
  expiresAt: Date;
  deleteAt: Date;
  /** Codes and refresh tokens are used once. */
  usedAt: Date | null;
  /** Of a code: the values that its redemption must repeat or prove. */
  redirectUri?: string;
  challenge?: string;
};
