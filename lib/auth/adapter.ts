import "server-only";
import { MongoDBAdapter } from "@auth/mongodb-adapter";
import { ObjectId } from "mongodb";
import type { Adapter, AdapterSession } from "next-auth/adapters";
import { database, mongoClient } from "@/lib/db/client";
import { COLLECTION_NAMES } from "@/lib/db/collections";
import { createFirstWorkspace, nameFromEmail } from "./first-workspace";
import { hashToken } from "./tokens";

/**
 * next-auth's own adapter, with two differences: the store only ever sees the hash of a session's token (T10), while
 * callers pass and get back the token as the cookie holds it; and a new user gets a first workspace.
 */
export function authAdapter(): Adapter {
  const adapter = MongoDBAdapter(mongoClient(), {
    databaseName: database().databaseName,
    collections: {
      Users: COLLECTION_NAMES.users,
      Accounts: COLLECTION_NAMES.accounts,
      Sessions: COLLECTION_NAMES.sessions,
      VerificationTokens: COLLECTION_NAMES.verificationTokens,
    },
  });
  return {
    ...adapter,
    async createUser(profile) {
      const email = profile.email.trim().toLowerCase();
      const facts = { email, name: profile.name?.trim() || nameFromEmail(email), createdAt: new Date() };
      const user = await call(adapter.createUser)({ ...profile, ...facts });
      await createFirstWorkspace(facts.name, new ObjectId(user.id), facts.createdAt);
      return user;
    },
    getUserByEmail: (email) => call(adapter.getUserByEmail)(email.trim().toLowerCase()),
    async createSession(session) {
      // Those that login opens say more; every session has at least these.
      const facts = { createdAt: new Date(), userAgent: null, address: null };
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

/** The interface marks every method optional; this adapter has the session ones. */
function call<T>(method: T | undefined): T {
  if (!method) throw new Error("The session adapter lacks a method that database sessions need.");
  return method;
}
