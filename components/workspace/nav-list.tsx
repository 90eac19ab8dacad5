"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { updateFrame } from "@/components/workspace/use-frame";
import { formatCount } from "@/lib/ui/format";
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
  return (
    <ul className="navlist" aria-label={label}>
      {items.map(({ name, icon, href, isOn, count, countWords, end, action }) => (
        <li key={href} className={action ? "row" : undefined}>
          <Link
            href={href}
            className={isOn ? "on" : undefined}
            aria-current={isOn ? "page" : undefined}
            onClick={() => matchMedia(OVERLAY).matches && updateFrame({ explorerOpen: false })}
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
