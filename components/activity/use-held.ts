"use client";

import { useState } from "react";
import type { Activity } from "@/lib/features/runs/browser/activity";

type Held = { of: string; items: Activity[] };

/**
 * Returns a list that can be frozen for reading: then only older items are added.
 * @param of identifies the list; another list is not frozen
 */
export function useHeld(items: Activity[], of: string) {
  const [kept, setKept] = useState<Held | null>(null);
  const held = kept?.of === of ? kept.items : null;
  const end = held?.at(-1)?.at ?? "";
  const known = new Set(held?.map(({ id }) => id));
  return {
    items: held === null ? items : [...held, ...items.filter(({ id, at }) => at < end && !known.has(id))],
    isHeld: held !== null,
    /** Number of items that arrived since the list was frozen. */
    newCount: held === null ? 0 : items.filter(({ id, at }) => at >= end && !known.has(id)).length,
    hold: () => setKept({ of, items }),
    release: () => setKept(null),
  };
}
