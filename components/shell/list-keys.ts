/** Selector of the list's rows that can be opened; excludes a line below a row, and the head of a group. */
const ROWS = "main table.list tbody tr:not(.sub)";
/** Selector of the first focusable element that opens a row. */
const OPENER = "a[href], button:not([disabled])";

/** Marks the next or previous row of the shown list, by focusing its opener. @returns whether there is one */
export function moveInList(step: 1 | -1): boolean {
  const openers = [...document.querySelectorAll<HTMLElement>(ROWS)].flatMap((row) => {
    const opener = row.querySelector<HTMLElement>(OPENER);
    return opener !== null && opener.offsetParent !== null ? [opener] : [];
  });
  const at = openers.findIndex((opener) => opener.closest("tr")?.contains(document.activeElement));
  const next =
    at === -1 ? openers.at(step === 1 ? 0 : -1) : openers[Math.min(openers.length - 1, Math.max(0, at + step))];
  next?.focus();
  return next !== undefined;
}

/** Returns the path where the marked row is renamed; null without a marked row, or if the row cannot be renamed. */
export function renamePathInList(): string | null {
  return document.activeElement?.closest<HTMLElement>(`${ROWS}[data-rename]`)?.dataset.rename ?? null;
}
