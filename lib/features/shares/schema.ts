import { z } from "zod";
import { boundedText, isoDate } from "@/lib/platform/http/schema";

/** Longer than the 22 base64url characters of a token, which carry 128 random bits. Anything longer is not a token. */
const TOKEN_CHARS_MAX = 100;
const PASSWORD_CHARS_MIN = 8;
const PASSWORD_CHARS_MAX = 128;
/** Enough for the sites of one customer, and short enough to read. */
const ORIGINS_MAX = 20;
const ORIGIN_CHARS_MAX = 300;

/** Any text: an invalid token gets the same response as an unknown one. */
export const shareToken = z.string().max(TOKEN_CHARS_MAX);

const password = z
  .string()
  .transform((text) => text.normalize("NFC"))
  .refine((text) => [...text].length >= PASSWORD_CHARS_MIN, `At least ${PASSWORD_CHARS_MIN} characters.`)
  .refine((text) => [...text].length <= PASSWORD_CHARS_MAX, `At most ${PASSWORD_CHARS_MAX} characters.`)
  .meta({
    reference: { type: "string", minLength: PASSWORD_CHARS_MIN, maxLength: PASSWORD_CHARS_MAX },
    description: "Length after NFC normalisation",
  });

const origin = boundedText(ORIGIN_CHARS_MAX).regex(
  /^https?:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$/,
  "Enter an origin such as https://www.example.com, in lower case.",
);

export const shareBody = z.object({
  enabled: z.boolean(),
  password: password.nullish().describe("null removes the password; omit to keep it"),
  expiresAt: z.iso.datetime({ offset: true }).nullish().describe("null: never expires; omit to keep it"),
  embed: z.boolean().optional().describe("Allows the sites below to embed it"),
  embedOrigins: z
    .array(origin)
    .max(ORIGINS_MAX, `At most ${ORIGINS_MAX} sites.`)
    .transform((given) => [...new Set(given)])
    .optional(),
});
export type ShareBody = z.output<typeof shareBody>;

/** A share as its managers see it. */
export const shareSchema = z.object({
  enabled: z.boolean(),
  url: z.string(),
  token: z.string(),
  hasPassword: z.boolean(),
  expiresAt: isoDate.nullable(),
  embed: z.boolean(),
  embedOrigins: z.array(z.string()),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Share = z.infer<typeof shareSchema>;

/** A share as everyone with the link sees it. */
export const shownShareSchema = z.object({
  kind: z.enum(["dashboard", "app"]),
  title: z.string(),
  description: z.string(),
  needsPassword: z.boolean().describe("False after unlocking in this browser"),
});
export type ShownShare = z.infer<typeof shownShareSchema>;

/** Any text: the response only says whether the password is right. */
export const unlockBody = z.object({
  password: boundedText(PASSWORD_CHARS_MAX * 4).transform((text) => text.normalize("NFC")),
});
