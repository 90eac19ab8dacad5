"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import type { MouseEvent, ReactNode } from "react";
import { updateFrame } from "@/components/layout/use-frame";
import { formatCount } from "@/lib/platform/browser/format";
import "@/components/ui/page.css";

/** Widths at which the explorer covers the work, and closes once an item is chosen. */
const OVERLAY = "(min-width: 641px) and (max-width: 900px)";

export type NavItem = {
  name: string;
  icon: ReactNode;
  href: string;
  isOn: boolean;
  count?: number | undefined;
  /** Unit of the count, unless the name makes it clear: "24 in the last day". */
  countWords?: string | undefined;
  /** Shown in the link, before its count. */
  end?: ReactNode;
  /** Shown beside the link. */
  action?: ReactNode;
};

/** Links of an area in the explorer; styled like a tree. */
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

/** Opens another section of the loaded page without a request, so that text typed right after the click reaches it. */
function turnHere(event: MouseEvent, href: string): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (href !== window.location.pathname + window.location.search) window.history.pushState(null, "", href);
}
