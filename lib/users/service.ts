import "server-only";
import type { Document, ObjectId } from "mongodb";
import { collections } from "./collections";
import type { UserDoc } from "./model";

/** For next-auth's adapter, which writes accounts by itself. */
export const usersCollectionName = collections.users.collectionName;

/** Stores a new account. @throws MongoServerError 11000 when its address has one already */
export async function insertUser(user: UserDoc): Promise<void> {
  await collections.users().insertOne(user);
}

/** The account of an address in its stored form; null for none. */
export function findUserByEmail(email: string): Promise<UserDoc | null> {
  return collections.users().findOne({ email });
}

/** Null when the account is gone. */
export function findUser(userId: ObjectId): Promise<UserDoc | null> {
  return collections.users().findOne({ _id: userId });
}

/** False on a server that nobody has registered at yet. */
export async function hasAccounts(): Promise<boolean> {
  return (await collections.users().findOne({}, { projection: { _id: 1 } })) !== null;
}

/** What `lookUpUser` adds to a document: one user, or none when the account is gone. */
export type WithUser = { user: [UserDoc?] };

/** The stage of a pipeline that puts the account in `user` whose id stands in a field. */
export function lookUpUser(localField: string): Document {
  return { $lookup: { from: collections.users.collectionName, localField, foreignField: "_id", as: "user" } };
}
