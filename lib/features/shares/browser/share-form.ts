import { toEndOfDay } from "@/lib/features/accounts/browser/lifetimes";
import type { Share, ShareBody } from "@/lib/features/shares/schema";
import { two } from "@/lib/platform/browser/format-time";

/** Fields of the sharing dialog. */
export type ShareFields = {
  reach: "workspace" | "password" | "link";
  /** Empty keeps the stored one. */
  password: string;
  /** Last day as a date field has it: YYYY-MM-DD; empty for never. */
  ends: string;
  embed: { isOn: boolean; origins: readonly string[] };
};
export type ShareProblems = Partial<Record<"password" | "ends" | "embed", string>>;

/** @param share the stored share; null without one */
export function toShareFields(share: Share | null): ShareFields {
  return {
    reach: !share?.enabled ? "workspace" : share.hasPassword ? "password" : "link",
    password: "",
    ends: share?.expiresAt ? toDay(share.expiresAt) : "",
    embed: { isOn: share?.embed ?? false, origins: share?.embedOrigins ?? [] },
  };
}

/** Returns what is missing or past, by field. The server validates the rest. */
export function findShareProblems(
  { reach, password, ends, embed }: ShareFields,
  share: Share | null,
  now: Date,
): ShareProblems {
  const problems: ShareProblems = {};
  if (reach === "password" && password === "" && share?.hasPassword !== true)
    problems.password = "Enter a password of at least 8 characters.";
  try {
    toExpiresAt(ends, share, now);
  } catch (error) {
    problems.ends = error instanceof RangeError ? error.message : "Select an expiry date.";
  }
  if (reach !== "workspace" && embed.isOn && embed.origins.length === 0) problems.embed = "Add at least one site.";
  return problems;
}

/**
 * Returns the request that stores the fields.
 * @param canEmbed whether other sites may frame the page of this object
 * @throws RangeError for an invalid or past day
 */
export function toShareBody(fields: ShareFields, share: Share | null, canEmbed: boolean, now: Date): ShareBody {
  const { reach, password, ends, embed } = fields;
  if (reach === "workspace") return { enabled: false };
  return {
    enabled: true,
    ...(reach === "link" ? { password: null } : password !== "" && { password }),
    expiresAt: toExpiresAt(ends, share, now),
    ...(canEmbed && { embed: embed.isOn, embedOrigins: [...embed.origins] }),
  };
}

/** An unchanged expiry is not validated again: its day may be of another zone. */
function toExpiresAt(ends: string, share: Share | null, now: Date): string | null {
  if (ends === "") return null;
  return share?.expiresAt && toDay(share.expiresAt) === ends ? share.expiresAt : toEndOfDay(ends, now);
}

/** Formats a date for a date field, in this device's zone. */
function toDay(text: string): string {
  const at = new Date(text);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
