"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import type { MouseEvent, ReactNode } from "react";
import { updateFrame } from "@/components/layout/use-frame";
import { formatCount } from "@/lib/platform/browser/format";
import "@/components/ui/page.css";

/** Up to this width the explorer lies over the work, and makes way once something in it was chosen. */
const OVERLAY = "(min-width: 641px) and (max-width: 900px)";

export type NavItem = {
  name: string;
  icon: ReactNode;
  href: string;
  isOn: boolean;
  count?: number | undefined;
  /** What is counted, where the name does not say it: "24 in the last day". */
  countWords?: string | undefined;
  /** In the link, before its count. */
  end?: ReactNode;
  /** Beside the link. */
  action?: ReactNode;
};

/** The links of an area in the explorer; looks as a tree does. */
export function NavList({ label, items }: { label: string; items: NavItem[] }) {
  const path = usePathname();
  return (
    <ul className="navlist" aria-label={label}>
      {items.map(({ name, icon, href, isOn, count, countWords, end, action }) => (
        <li key={href} className={action ? "row" : undefined}>
          <Link
            href={href}
            className={isOn ? "on" : undefined}
            aria-current={isOn ? "page" : undefined}
            onClick={(event) => {
              if (matchMedia(OVERLAY).matches) updateFrame({ explorerOpen: false });
              if (href.split("?", 1)[0] === path) turnHere(event, href);
            }}
          >
            {icon}
            <span className="trunc grow">{name}</span>
            {end}
            {count !== undefined && (
              <span className="meta num" title={countWords}>
                {formatCount(count)}
              </span>
            )}
          </Link>
          {action}
        </li>
      ))}
    </ul>
  );
}

/**
 * Another part of what the page has already: it needs no answer of the server, and what is typed right after the click finds
 * itself there.
 */
function turnHere(event: MouseEvent, href: string): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (href !== window.location.pathname + window.location.search) window.history.pushState(null, "", href);
}
