import "server-only";
import type { UserCaller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { panelField, toPreferences } from "./model";
import { PREFERENCES_BYTES_MAX, type Preferences, type UpdatePreferencesBody } from "./schema";

/** Returns the caller's preferences, with defaults for those that are not set. */
export async function getPreferences({ user }: UserCaller): Promise<Preferences> {
  return toPreferences(await collections.preferences().findOne({ _id: user._id }));
}

/**
 * Updates the given preferences only; a layout of null is removed.
 * @returns all of them
 * @throws AppError `invalid_request` if their total size is too large
 */
export async function updatePreferences(caller: UserCaller, body: UpdatePreferencesBody): Promise<Preferences> {
  const { panels = {}, keys, ...others } = body;
  const current = await getPreferences(caller);
  refuseTooMuch({ ...current, ...body, panels: { ...current.panels, ...panels } });
  // Panels are merged per workspace, so that two browser windows do not undo each other's layout.
  const entries = Object.entries(panels).map(([name, value]) => [`panels.${panelField(name)}`, value] as const);
  const kept = entries.filter(([, value]) => value !== null).map(([path, value]) => [path, JSON.stringify(value)]);
  const gone = entries.filter(([, value]) => value === null).map(([path]) => [path, true]);
  const stored = await collections.preferences().findOneAndUpdate(
    { _id: caller.user._id },
    {
      $set: { ...others, ...(keys && { keys: JSON.stringify(keys) }), ...Object.fromEntries(kept) },
      $unset: Object.fromEntries(gone),
    },
    { upsert: true, returnDocument: "after" },
  );
  return toPreferences(stored);
}

/**
 * Checked before the write: two concurrent requests can exceed the limit by one request, which the body limit bounds.
 */
function refuseTooMuch(next: Preferences): void {
  const panels = Object.fromEntries(Object.entries(next.panels).filter(([, value]) => value !== null));
  if (Buffer.byteLength(JSON.stringify({ ...next, panels })) <= PREFERENCES_BYTES_MAX) return;
  throw new AppError("invalid_request", `Preferences are limited to ${PREFERENCES_BYTES_MAX / 1024} KiB.`, {
    details: [{ path: "panels", message: "Send null to remove layouts of deleted workspaces." }],
  });
}
