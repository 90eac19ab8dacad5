"use client";

import { useState } from "react";

export const VIEWS = ["cards", "table", "chart", "pivot", "json"] as const;
export type View = (typeof VIEWS)[number];

/** Returns the view of a result. It is kept in the address, so that a link opens the same view. */
export function useViewChoice(isPhone: boolean): [View, (view: View) => void] {
  const [chosen, setChosen] = useState<View | null>(readView);
  const normal: View = isPhone ? "cards" : "table";
  const fits = chosen !== null && (isPhone || chosen !== "cards");
  return [
    fits ? chosen : normal,
    (view) => {
      setChosen(view);
      const address = new URL(window.location.href);
      if (view === normal) address.searchParams.delete("tab");
      else address.searchParams.set("tab", view);
      window.history.replaceState(null, "", address);
    },
  ];
}

function readView(): View | null {
  const tab = new URLSearchParams(window.location.search).get("tab");
  return VIEWS.find((view) => view === tab) ?? null;
}
