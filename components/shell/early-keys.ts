declare global {
  interface Window {
    /** Of components/shell/boot.js; absent where that did not load. */
    takeEarlyKeys?: () => KeyboardEvent[];
  }
}

/**
 * The keys that were pressed in a workspace before its frame was awake, oldest first; from now on nobody keeps them.
 * Letters that are more than shortcuts are a text whose field is not there yet, and none of them is meant as a shortcut.
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
