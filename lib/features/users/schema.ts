import { z } from "zod";
import { isoDate, objectIdText, trimmedText } from "@/lib/platform/http/schema";
import { USER_NAME_MAX } from "./limits";

/** Longest address that mail can carry (RFC 5321). */
const EMAIL_LENGTH_MAX = 254;
const EMAIL_LOCAL_MAX = 64;
/** Longest label of a domain (RFC 1035). */
const DOMAIN_LABEL_MAX = 63;

/** Normalised form of an address, which is stored and compared. */
export const emailAddress = z
  .string()
  .trim()
  .max(EMAIL_LENGTH_MAX, "Email address is too long.")
  .toLowerCase()
  .regex(z.regexes.email, "Enter an email address such as ana@example.com.")
  .refine(isDeliverable, "Email address is too long.")
  .meta({ format: "email" });

function isDeliverable(address: string): boolean {
  const at = address.lastIndexOf("@");
  const labels = address.slice(at + 1).split(".");
  return at <= EMAIL_LOCAL_MAX && labels.every((label) => label.length <= DOMAIN_LABEL_MAX);
}

export const updateUserBody = z.object({ name: trimmedText(USER_NAME_MAX, "Enter your name.") });
export type UpdateUserBody = z.infer<typeof updateUserBody>;

export const userSchema = z.object({ id: objectIdText, email: z.string(), name: z.string(), createdAt: isoDate });
export type User = z.infer<typeof userSchema>;
