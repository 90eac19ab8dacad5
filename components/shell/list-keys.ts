/** Rows of the page's list that can be opened; a line below a row, or the head of a group, is none. */
const ROWS = "main table.list tbody tr:not(.sub)";
/** What opens a row: the first that can be pressed in it. */
const OPENER = "a[href], button:not([disabled])";

/** Marks the next row of the list that is shown, or the one before, by the focus on what opens it. @returns whether there is one */
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

/** Where the marked row is given another name; null without a marked row, or one that has a name of its own to give. */
export function renamePathInList(): string | null {
  return document.activeElement?.closest<HTMLElement>(`${ROWS}[data-rename]`)?.dataset.rename ?? null;
}
