import Link from "next/link";
import type { ReactNode } from "react";
import "./page.css";

export type NavItem = { name: string; icon: ReactNode; href: string; isOn: boolean; count?: number };

/** The links of an area in the explorer; looks as a tree does. */
export function NavList({ label, items }: { label: string; items: NavItem[] }) {
  return (
    <ul className="navlist" aria-label={label}>
      {items.map(({ name, icon, href, isOn, count }) => (
        <li key={href}>
          <Link href={href} className={isOn ? "on" : undefined} aria-current={isOn ? "page" : undefined}>
            {icon}
            <span className="trunc grow">{name}</span>
            {count !== undefined && <span className="meta num">{count}</span>}
          </Link>
        </li>
      ))}
    </ul>
  );
}
