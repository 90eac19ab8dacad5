import { z } from "zod";
import { isoDate, objectIdText } from "@/lib/http/schema";

/** RFC 5321: the longest address that mail can carry. */
const EMAIL_LENGTH_MAX = 254;
export const USER_NAME_MAX = 120;

/** The form in which an address is stored and compared. */
export const emailAddress = z
  .string()
  .trim()
  .max(EMAIL_LENGTH_MAX, "This address is too long.")
  .toLowerCase()
  .pipe(z.email("Enter an address such as ana@example.com."));

export const userSchema = z.object({ id: objectIdText, email: z.string(), name: z.string(), createdAt: isoDate });
export type User = z.infer<typeof userSchema>;
