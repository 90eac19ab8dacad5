import "server-only";
import type { BySession, UserCaller } from "@/lib/platform/access/caller";
import { consume, giveBack } from "@/lib/platform/access/rate-limit";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { endOtherSessions } from "./own-sessions";
import { hashPassword, inLineForHashing, verifyPassword } from "./passwords";
import { endResetLinks } from "./reset-service";
import type { ChangePasswordBody } from "./schema";

/**
 * Changes the caller's password, and ends their other sessions and all reset links mailed before (T11).
 * @throws AppError `invalid_credentials` if the current one is wrong, `rate_limited`, `unavailable`
 */
export function changePassword(caller: UserCaller<BySession>, body: ChangePasswordBody): Promise<void> {
  return inLineForHashing(() => judgeAndChange(caller, body));
}

async function judgeAndChange(caller: UserCaller<BySession>, body: ChangePasswordBody): Promise<void> {
  const { _id: userId } = caller.user;
  const subject = userId.toHexString();
  await consume("passwordChange", subject);
  const credential = await collections.credentials().findOne({ _id: userId });
  const fits = await verifyPassword(credential?.passwordHash ?? null, body.current);
  if (!fits || !credential) throw wrongPassword();
  await giveBack("passwordChange", subject);
  const passwordHash = await hashPassword(body.next);
  // Of two concurrent changes one succeeds: for the other, `current` is no longer the password (T111).
  const { matchedCount } = await collections
    .credentials()
    .updateOne({ _id: userId, changedAt: credential.changedAt }, { $set: { passwordHash, changedAt: new Date() } });
  if (matchedCount === 0) throw wrongPassword();
  await endResetLinks(userId);
  await endOtherSessions(caller);
}

function wrongPassword(): AppError {
  return new AppError("invalid_credentials", "The current password is wrong.");
}
