"use client";

import { useEffect, useState } from "react";

/**
 * Guards a page that shows something for the only time: the browser asks before a reload or a close, and a click on a
 * link is held back.
 * @returns the target of the clicked link, null for none, and functions that leave or stay
 */
export function useLeaveGuard(isOn: boolean): { pressed: string | null; stay: () => void } {
  const [pressed, setPressed] = useState<string | null>(null);
  useEffect(() => {
    if (!isOn) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
      if (!(link instanceof HTMLAnchorElement) || link.target === "_blank" || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      event.stopPropagation();
      setPressed(link.href);
    };
    addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, [isOn]);
  return { pressed: isOn ? pressed : null, stay: () => setPressed(null) };
}
