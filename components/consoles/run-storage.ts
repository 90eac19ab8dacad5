/** Beginning of the keys under which a tab keeps results. The number is that of the stored form. */
export const RUNS_KEY = "millrace:runs:1:";

/** Removes the results that a page kept whose session then ended. */
export function forgetRuns(storage: Pick<Storage, "length" | "key" | "removeItem">): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  for (const key of keys) if (key?.startsWith(RUNS_KEY)) storage.removeItem(key);
}
