"use client";

import { useState } from "react";
import type { Activity } from "@/lib/features/runs/browser/activity";

type Held = { of: string; items: Activity[] };

/**
 * A list that can be held as it is, to be read in peace: then only what is older comes to it.
 * @param of what is listed: another list is held by nobody
 */
export function useHeld(items: Activity[], of: string) {
  const [kept, setKept] = useState<Held | null>(null);
  const held = kept?.of === of ? kept.items : null;
  const end = held?.at(-1)?.at ?? "";
  const known = new Set(held?.map(({ id }) => id));
  return {
    items: held === null ? items : [...held, ...items.filter(({ id, at }) => at < end && !known.has(id))],
    isHeld: held !== null,
    /** What has come since it is held. */
    newCount: held === null ? 0 : items.filter(({ id, at }) => at >= end && !known.has(id)).length,
    hold: () => setKept({ of, items }),
    release: () => setKept(null),
  };
}
