"use client";

import { useEffect, useRef, useState } from "react";

/** Distance to the end within which the view follows new text. */
const STICKY_PX = 40;

/** Keeps the end in view while it grows, unless the user has scrolled away from it. */
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
  // Cards also grow after the first render: charts and diffs load late.
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
