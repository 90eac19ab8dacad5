import "server-only";
import { ObjectId } from "mongodb";
import { toUser, type UserDoc } from "@/lib/features/users/model";
import type { User } from "@/lib/features/users/schema";
import { findUserByEmail, insertUser } from "@/lib/features/users/service";
import { beginWorkspace } from "@/lib/features/workspaces/beginning";
import type { Workspace } from "@/lib/features/workspaces/schema";
import { discardWorkspace, listWorkspaces } from "@/lib/features/workspaces/service";
import type { UserCaller } from "@/lib/platform/access/caller";
import { addressSubject, consume, giveBack } from "@/lib/platform/access/rate-limit";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { AppError } from "@/lib/platform/http/errors";
import { LIST_LIMIT_MAX } from "@/lib/platform/http/schema";
import { collections } from "./collections";
import { createFirstWorkspace, nameFromEmail } from "./first-workspace";
import type { CredentialDoc } from "./model";
import { hashPassword, inLineForHashing, isOutdated, verifyPassword } from "./passwords";
import type { LoginBody, Me, RegisterBody } from "./schema";
import { closeSession, openSession, type SessionOrigin } from "./session";
import { requireSignUp } from "./sign-up";

type SignedIn<T> = T & { setCookie: string };

/**
 * Creates an account with a first workspace that it owns, and signs it in (docs/develop/api.md, Accounts).
 * @throws AppError `forbidden` where SIGN_UP does not admit the address, `email_taken`, `rate_limited`, `unavailable`
 */
export function register(
  body: RegisterBody,
  origin: SessionOrigin,
): Promise<SignedIn<{ user: User; workspace: Workspace }>> {
  return inLineForHashing(() => makeAccount(body, origin));
}

async function makeAccount(
  body: RegisterBody,
  origin: SessionOrigin,
): Promise<SignedIn<{ user: User; workspace: Workspace }>> {
  await consume("register", addressSubject(origin.address));
  const userId = new ObjectId();
  await requireSignUp({ email: body.email, inviteToken: body.inviteToken ?? null, isVerified: false }, userId);
  if (await findUserByEmail(body.email)) throw emailTaken();
  const passwordHash = await hashPassword(body.password);

  const now = new Date();
  const name = body.name || nameFromEmail(body.email);
  const user: UserDoc = { _id: userId, email: body.email, name, emailVerified: null, createdAt: now };
  // The user is stored last: only then does the account exist. Documents left by a crash before that belong to no one.
  const workspace = await createFirstWorkspace(name, user._id, now);
  await collections.credentials().insertOne({ _id: user._id, passwordHash, changedAt: now });
  try {
    await insertUser(user);
  } catch (error) {
    await Promise.all([
      discardWorkspace(new ObjectId(workspace.id)),
      collections.credentials().deleteOne({ _id: user._id }),
    ]);
    // Two concurrent requests with one address: the unique index decides.
    if (isDuplicateKey(error)) throw emailTaken();
    throw error;
  }
  await beginWorkspace(new ObjectId(workspace.id), user);
  const session = await openSession(user._id.toHexString(), origin, now);
  return { user: toUser(user), workspace, setCookie: session.setCookie };
}

/**
 * Signs in. An unknown address and a wrong password give the same answer in the same time (T1, T2).
 * @param previousToken the browser's previous session, which it is about to lose; null without one
 * @throws AppError `invalid_credentials`, `rate_limited`, `unavailable`
 */
export function login(
  body: LoginBody,
  origin: SessionOrigin,
  previousToken: string | null = null,
): Promise<SignedIn<{ user: User }>> {
  return inLineForHashing(() => judgeLogin(body, origin, previousToken));
}

async function judgeLogin(
  body: LoginBody,
  origin: SessionOrigin,
  previousToken: string | null,
): Promise<SignedIn<{ user: User }>> {
  const address = addressSubject(origin.address);
  const accountAtAddress = `${body.email}|${address}`;
  // Points are consumed first and returned on success, so that parallel attempts cannot outrun the count.
  await consume("loginAddress", address);
  await consume("loginAccount", accountAtAddress);

  const user = await findUserByEmail(body.email);
  const credential = await collections.credentials().findOne({ _id: user?._id ?? new ObjectId() });
  const fits = await verifyPassword(credential?.passwordHash ?? null, body.password);
  if (!fits || !user || !credential) {
    throw wrongCredentials();
  }

  await Promise.all([giveBack("loginAddress", address), giveBack("loginAccount", accountAtAddress)]);
  if (isOutdated(credential.passwordHash)) {
    const passwordHash = await hashPassword(body.password);
    await collections
      .credentials()
      .updateOne({ _id: user._id, passwordHash: credential.passwordHash }, { $set: { passwordHash } });
  }
  const session = await openSession(user._id.toHexString(), origin);
  await requireUnchanged(credential, session.token);
  if (previousToken) await closeSession(previousToken);
  return { user: toUser(user), setCookie: session.setCookie };
}

/**
 * Rejects a session if the password was changed or reset during the login (T11). A change writes the password first and
 * then ends the sessions. A session that is created before that ends with the others, and a later one is found here.
 */
async function requireUnchanged({ _id, changedAt }: CredentialDoc, token: string): Promise<void> {
  const current = await collections.credentials().findOne({ _id }, { projection: { changedAt: 1 } });
  if (current?.changedAt.getTime() === changedAt.getTime()) return;
  await closeSession(token);
  throw wrongCredentials();
}

/** Ends the session of this token, if it exists. */
export async function logout(token: string | null): Promise<void> {
  if (token) await closeSession(token);
}

/** Returns the user and the workspaces that they can enter. */
export async function getMe(caller: UserCaller): Promise<Me> {
  const { items: workspaces } = await listWorkspaces(caller, { limit: LIST_LIMIT_MAX });
  return {
    user: toUser(caller.user),
    workspaces: workspaces.map(({ id, name, slug, role }) => ({ id, name, slug, role })),
  };
}

function wrongCredentials(): AppError {
  return new AppError("invalid_credentials", "Wrong email or password.");
}

function emailTaken(): AppError {
  return new AppError("email_taken", "An account with this email already exists. Sign in instead.");
}
