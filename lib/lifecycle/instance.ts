import "server-only";
import type { UserCaller } from "@/lib/access/caller";
import type { Instance } from "@/lib/auth/schema";
import { isInstanceAdmin } from "@/lib/auth/sign-up";
import { env } from "@/lib/env";
import { AppError } from "@/lib/http/errors";
import { mailService } from "@/lib/mail/service";
import { version } from "@/package.json";
import { collections } from "./collections";

/**
 * Returns what the instance's admin sees of the installation.
 * @throws AppError `forbidden` for every other account
 */
export async function getInstance({ user }: UserCaller): Promise<Instance> {
  if (!(await isInstanceAdmin(user._id))) throw new AppError("forbidden", "Only the instance's admin can see this.");
  const [accounts, workspaces] = await Promise.all([
    collections.users().estimatedDocumentCount(),
    collections.workspaces().estimatedDocumentCount(),
  ]);
  return { version, signUp: env().SIGN_UP, mail: mailService(), accounts, workspaces };
}
