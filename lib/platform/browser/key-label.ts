const APPLE: Record<string, string> = { mod: "⌘", shift: "⇧", alt: "⌥", enter: "↵", esc: "Esc", up: "↑", down: "↓" };
const OTHERS: Record<string, string> = {
  mod: "Ctrl",
  shift: "Shift",
  alt: "Alt",
  enter: "↵",
  esc: "Esc",
  up: "↑",
  down: "↓",
};

/** Formats "mod+enter" for display: "⌘↵" on Apple's keyboards, "Ctrl ↵" on others. A space separates steps: "g c". */
export function toKeyLabel(keys: string, isApple: boolean): string {
  const names = isApple ? APPLE : OTHERS;
  return keys
    .split(" ")
    .map((step) => step.split("+").map((key) => names[key] ?? (key.length === 1 ? key.toUpperCase() : key)))
    .map((step) => step.join(isApple ? "" : " "))
    .join(" ");
}
