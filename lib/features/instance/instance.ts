import "server-only";
import type { Instance } from "@/lib/features/accounts/schema";
import { isInstanceAdmin } from "@/lib/features/accounts/sign-up";
import type { UserCaller } from "@/lib/platform/access/caller";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { mailService } from "@/lib/platform/mail/service";
import { version } from "@/package.json";
import { collections } from "./collections";

/**
 * Returns what the instance's admin sees of the installation.
 * @throws AppError `forbidden` for every other account
 */
export async function getInstance({ user }: UserCaller): Promise<Instance> {
  if (!(await isInstanceAdmin(user._id))) throw new AppError("forbidden", "Only the instance admin can see this.");
  const [accounts, workspaces] = await Promise.all([
    collections.users().estimatedDocumentCount(),
    collections.workspaces().estimatedDocumentCount(),
  ]);
  return { version, signUp: env().SIGN_UP, mail: mailService(), accounts, workspaces };
}
