"use client";

import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { SHORTCUTS } from "@/components/layout/shortcuts";
import { Keys } from "@/components/ui/keys";
import { useIsApple } from "@/components/ui/use-browser";
import { toKeyLabel } from "@/lib/platform/browser/key-label";

/** All shortcuts with a field to search them: used by the list behind "?" and by the keyboard settings. */
export function ShortcutGroups() {
  const [search, setSearch] = useState("");
  const fieldRef = useRef<HTMLInputElement>(null);
  // Text typed before the page was hydrated.
  useEffect(() => setSearch(fieldRef.current?.value ?? ""), []);
  const isApple = useIsApple();
  const wanted = search.trim().toLowerCase();
  const groups = SHORTCUTS.map(({ group, items }) => ({
    group,
    items: items.filter(({ keys, does }) => `${does} ${toKeyLabel(keys, isApple)}`.toLowerCase().includes(wanted)),
  })).filter(({ items }) => items.length > 0);
  return (
    <>
      <div className="input quiet sm">
        <Search className="s t3" />
        <input
          ref={fieldRef}
          aria-label="Search shortcuts"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {groups.length === 0 && <p style={{ marginTop: 16 }}>No matching shortcuts.</p>}
      {groups.map(({ group, items }) => (
        <section key={group} className="keys-group">
          <h3>{group}</h3>
          <ul>
            {items.map(({ keys, does }) => (
              <li key={keys}>
                <span>{does}</span>
                <span className="sr-only">{toKeyLabel(keys, false)}</span>
                <Keys keys={keys} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
