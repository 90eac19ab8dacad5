import "server-only";
import type { ClientSession, Document, ObjectId } from "mongodb";
import type { UserCaller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { toUser, type UserDoc } from "./model";
import type { UpdateUserBody, User } from "./schema";

/** For next-auth's adapter, which writes accounts directly. */
export const usersCollectionName = collections.users.collectionName;

/** Stores a new account. @throws MongoServerError 11000 if the address is taken */
export async function insertUser(user: UserDoc, session?: ClientSession): Promise<void> {
  await collections.users().insertOne(user, session && { session });
}

/** Returns the account of a normalised address; null for none. */
export function findUserByEmail(email: string): Promise<UserDoc | null> {
  return collections.users().findOne({ email });
}

/** Returns the names of users whose accounts still exist. */
export async function findUserNames(userIds: readonly ObjectId[]): Promise<Pick<UserDoc, "_id" | "name">[]> {
  if (userIds.length === 0) return [];
  return collections
    .users()
    .find({ _id: { $in: [...userIds] } }, { projection: { name: 1 } })
    .toArray();
}

/** Returns null if the account is deleted. */
export function findUser(userId: ObjectId): Promise<UserDoc | null> {
  return collections.users().findOne({ _id: userId });
}

/** Renames the caller. @throws AppError `not_found` if the account was deleted in the meantime */
export async function updateUser({ user }: UserCaller, { name }: UpdateUserBody): Promise<User> {
  const updated = await collections
    .users()
    .findOneAndUpdate({ _id: user._id }, { $set: { name } }, { returnDocument: "after" });
  if (!updated) throw new AppError("not_found", "This account was deleted.");
  return toUser(updated);
}

/** Returns false on a server without accounts. */
export async function hasAccounts(): Promise<boolean> {
  return (await collections.users().findOne({}, { projection: { _id: 1 } })) !== null;
}

/** Returns the oldest account; null on a server without accounts. */
export function findFirstUser(): Promise<UserDoc | null> {
  return collections.users().findOne({}, { sort: { _id: 1 } });
}

/** Field that `lookUpUser` adds to a document: one user, or none if the account is deleted. */
export type WithUser = { user: [UserDoc?] };

/** Returns a pipeline stage that puts the account whose id is in a field into `user`. */
export function lookUpUser(localField: string): Document {
  return { $lookup: { from: collections.users.collectionName, localField, foreignField: "_id", as: "user" } };
}
