import "server-only";
import { MongoDBAdapter } from "@auth/mongodb-adapter";
import { ObjectId } from "mongodb";
import type { Adapter, AdapterSession } from "next-auth/adapters";
import { USER_NAME_MAX } from "@/lib/features/users/limits";
import { usersCollectionName } from "@/lib/features/users/service";
import { beginWorkspace } from "@/lib/features/workspaces/beginning";
import { discardWorkspace } from "@/lib/features/workspaces/service";
import { database, mongoClient } from "@/lib/platform/db/client";
import { collections } from "./collections";
import { createFirstWorkspace, nameFromEmail } from "./first-workspace";
import type { SessionDoc } from "./model";
import { requireSignUp } from "./sign-up";
import { hashToken } from "./tokens";

/** Real ones are shorter, and the list of a user's sessions shows no more than this. */
const USER_AGENT_MAX = 300;

/** Origin of a request that creates a session. */
export type SessionOrigin = Pick<SessionDoc, "userAgent" | "address">;
const UNKNOWN_ORIGIN: SessionOrigin = { userAgent: null, address: null };

/**
 * Returns next-auth's adapter with three differences: the database only ever sees the hash of a session's token (T10),
 * while callers pass and receive the token as in the cookie; a new user gets a first workspace; and of a provider's
 * account only its identity is stored.
 * @param from stored with the sessions that it creates
 */
export function authAdapter(from: SessionOrigin = UNKNOWN_ORIGIN): Adapter {
  const adapter = MongoDBAdapter(mongoClient(), {
    databaseName: database().databaseName,
    collections: {
      Users: usersCollectionName,
      Accounts: collections.accounts.collectionName,
      Sessions: collections.sessions.collectionName,
      VerificationTokens: collections.verificationTokens.collectionName,
    },
  });
  return {
    ...adapter,
    async createUser(profile) {
      const email = profile.email.trim().toLowerCase();
      const name = profile.name?.trim().slice(0, USER_NAME_MAX) || nameFromEmail(email);
      const facts = { id: new ObjectId().toHexString(), email, name, createdAt: new Date() };
      await requireSignUp({ email, inviteToken: null, isVerified: true }, new ObjectId(facts.id));
      // As at registration the user is stored last, so that no account is ever without a workspace.
      const workspace = await createFirstWorkspace(name, new ObjectId(facts.id), facts.createdAt);
      try {
        const made = await call(adapter.createUser)({ ...profile, ...facts });
        await beginWorkspace(new ObjectId(workspace.id), { ...facts, _id: new ObjectId(facts.id) });
        return made;
      } catch (error) {
        await discardWorkspace(new ObjectId(workspace.id));
        throw error;
      }
    },
    getUserByEmail: (email) => call(adapter.getUserByEmail)(email.trim().toLowerCase()),
    async linkAccount({ provider, providerAccountId, type, userId }) {
      // The provider's tokens are no longer needed: a token that is not stored cannot leak (T44).
      await call(adapter.linkAccount)({ provider, providerAccountId, type, userId });
    },
    async createSession(session) {
      const userAgent = from.userAgent?.slice(0, USER_AGENT_MAX) ?? null;
      const facts = { createdAt: new Date(), userAgent, address: from.address };
      await call(adapter.createSession)({ ...facts, ...session, sessionToken: hashToken(session.sessionToken) });
      return session;
    },
    async getSessionAndUser(sessionToken) {
      const found = await call(adapter.getSessionAndUser)(hashToken(sessionToken));
      return found && { user: found.user, session: { ...found.session, sessionToken } };
    },
    async updateSession(session) {
      const updated = await call(adapter.updateSession)({ ...session, sessionToken: hashToken(session.sessionToken) });
      return updated && ({ ...updated, sessionToken: session.sessionToken } as AdapterSession);
    },
    async deleteSession(sessionToken) {
      await call(adapter.deleteSession)(hashToken(sessionToken));
    },
  };
}

/** The interface declares every method as optional; this adapter has the session methods. */
function call<T>(method: T | undefined): T {
  if (!method) throw new Error("The session adapter lacks a method that database sessions need.");
  return method;
}
