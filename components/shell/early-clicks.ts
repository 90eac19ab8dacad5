import { useEffect, useLayoutEffect, useRef } from "react";

type EarlyClick = { event: MouseEvent; button: HTMLButtonElement };

declare global {
  interface Window {
    /** Defined in components/shell/boot.js; absent if that did not load. */
    takeEarlyClicks?: () => EarlyClick[];
  }
}

/** Performs the clicks on buttons that came before the workspace frame was hydrated, oldest first, each once. */
export function useEarlyClicks(): void {
  const clicks = useRef<EarlyClick[]>([]);
  useLayoutEffect(() => {
    // With the commit that lets React handle clicks: none is handled twice. It also handles the current one.
    clicks.current.push(...(window.takeEarlyClicks?.() ?? []).filter(({ event }) => event !== window.event));
  }, []);
  useEffect(() => {
    const performAll = () => {
      for (const { button } of clicks.current.splice(0)) if (button.isConnected) button.click();
    };
    // After the effects of the whole commit: the router follows the address only from its own effect on.
    queueMicrotask(performAll);
  }, []);
}
