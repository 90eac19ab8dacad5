"use client";

import { useEffect, useRef, useState } from "react";

/** So near to the end one follows what is written. */
const STICKY_PX = 40;

/** Keeps the end in sight while it grows, unless the person has scrolled away from it. */
export function useStickyEnd() {
  const listRef = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const [isAway, setIsAway] = useState(false);
  useEffect(() => {
    const list = listRef.current;
    if (list === null) return;
    const onScroll = () => {
      isAtEnd.current = list.scrollHeight - list.scrollTop - list.clientHeight < STICKY_PX;
      setIsAway(!isAtEnd.current);
    };
    list.addEventListener("scroll", onScroll, { passive: true });
    return () => list.removeEventListener("scroll", onScroll);
  }, []);
  // Cards grow after they were drawn, too: charts and differences are loaded late.
  useEffect(() => {
    const list = listRef.current;
    if (list === null) return;
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) list.scrollTop = list.scrollHeight;
    });
    for (const element of [list, ...list.children]) observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const toEnd = () => {
    isAtEnd.current = true;
    setIsAway(false);
    const list = listRef.current;
    if (list !== null) list.scrollTop = list.scrollHeight;
  };
  return { listRef, isAway, toEnd };
}
