/** Returns the state of saving, in words. @param changeCount number of unsaved changes */
export function toSaveWords(state: "idle" | "saving" | "waiting" | "saved", changeCount: number): string {
  if (state === "saving") return "Saving";
  if (state === "waiting") return "Offline. Saves when you reconnect.";
  if (changeCount === 0) return "No changes";
  return `Draft: ${changeCount} unsaved ${changeCount === 1 ? "change" : "changes"}`;
}
