import "server-only";
import type { Document, ObjectId } from "mongodb";
import type { UserCaller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { toUser, type UserDoc } from "./model";
import type { UpdateUserBody, User } from "./schema";

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

/** What those are called who still have an account. */
export async function findPeople(userIds: readonly ObjectId[]): Promise<Pick<UserDoc, "_id" | "name">[]> {
  if (userIds.length === 0) return [];
  return collections
    .users()
    .find({ _id: { $in: [...userIds] } }, { projection: { name: 1 } })
    .toArray();
}

/** Null when the account is gone. */
export function findUser(userId: ObjectId): Promise<UserDoc | null> {
  return collections.users().findOne({ _id: userId });
}

/** Gives the caller another name. @throws AppError `not_found` when the account is gone meanwhile */
export async function updateUser({ user }: UserCaller, { name }: UpdateUserBody): Promise<User> {
  const updated = await collections
    .users()
    .findOneAndUpdate({ _id: user._id }, { $set: { name } }, { returnDocument: "after" });
  if (!updated) throw new AppError("not_found", "This account is gone.");
  return toUser(updated);
}

/** False on a server that nobody has registered at yet. */
export async function hasAccounts(): Promise<boolean> {
  return (await collections.users().findOne({}, { projection: { _id: 1 } })) !== null;
}

/** Returns the oldest account; null on a server without accounts. */
export function findFirstUser(): Promise<UserDoc | null> {
  return collections.users().findOne({}, { sort: { _id: 1 } });
}

/** What `lookUpUser` adds to a document: one user, or none when the account is gone. */
export type WithUser = { user: [UserDoc?] };

/** The stage of a pipeline that puts the account in `user` whose id stands in a field. */
export function lookUpUser(localField: string): Document {
  return { $lookup: { from: collections.users.collectionName, localField, foreignField: "_id", as: "user" } };
}
