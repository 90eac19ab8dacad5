import type { ReactNode } from "react";
import "@/components/ui/page.css";

/** Code to read or copy. It scrolls sideways, so it must be focusable. */
export function CodeBox({
  label,
  className = "",
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
    <section className={`codebox ${className}`} aria-label={label} tabIndex={0}>
      <pre>{children}</pre>
    </section>
  );
}
