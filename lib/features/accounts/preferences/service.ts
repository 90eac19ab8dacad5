import "server-only";
import type { UserCaller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { collections } from "./collections";
import { panelField, toPreferences } from "./model";
import { PREFERENCES_BYTES_MAX, type Preferences, type UpdatePreferencesBody } from "./schema";

/** The caller's preferences, with the defaults for what they never chose. */
export async function getPreferences({ user }: UserCaller): Promise<Preferences> {
  return toPreferences(await collections.preferences().findOne({ _id: user._id }));
}

/**
 * Stores what is given and leaves the rest; a layout of null goes.
 * @returns all of them
 * @throws AppError `invalid_request` when they grow too large together
 */
export async function updatePreferences(caller: UserCaller, body: UpdatePreferencesBody): Promise<Preferences> {
  const { panels = {}, keys, ...others } = body;
  const current = await getPreferences(caller);
  refuseTooMuch({ ...current, ...body, panels: { ...current.panels, ...panels } });
  // Panels merge a workspace at a time, so that two browser windows do not undo each other's layout.
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

/** Counted before the write: two at once can exceed it by one request, which the body's own limit bounds. */
function refuseTooMuch(next: Preferences): void {
  const panels = Object.fromEntries(Object.entries(next.panels).filter(([, value]) => value !== null));
  if (Buffer.byteLength(JSON.stringify({ ...next, panels })) <= PREFERENCES_BYTES_MAX) return;
  throw new AppError("invalid_request", `Preferences take at most ${PREFERENCES_BYTES_MAX / 1024} KiB together.`, {
    details: [{ path: "panels", message: "Send null for layouts of workspaces that are gone." }],
  });
}
