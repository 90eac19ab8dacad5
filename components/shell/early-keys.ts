declare global {
  interface Window {
    /** Defined in components/shell/boot.js; absent if that did not load. */
    takeEarlyKeys?: () => KeyboardEvent[];
  }
}

/**
 * Returns the keys that were pressed before the workspace frame was hydrated, oldest first, and stops recording them.
 * Letters that do not form a shortcut are text for a field that was not mounted yet; none of them counts as a shortcut.
 * @param shortcuts of letters alone: `c`, and `gn` for G then N
 */
export function takeEarlyKeys(shortcuts: string[]): KeyboardEvent[] {
  const kept = window.takeEarlyKeys?.() ?? [];
  const pressed = kept.filter(isLetter).map(({ key }) => key.toLowerCase());
  return isMadeOf(pressed.join(""), shortcuts) ? kept : kept.filter((event) => !isLetter(event));
}

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

function isMadeOf(text: string, parts: string[]): boolean {
  return text === "" || parts.some((part) => text.startsWith(part) && isMadeOf(text.slice(part.length), parts));
}
