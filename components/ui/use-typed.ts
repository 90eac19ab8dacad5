"use client";

import { useEffect, useRef, useState } from "react";

/**
 * What is typed in a field whose value stands elsewhere and comes back late, as from the address: drawn by that value
 * alone, the field would lose the letters that are typed meanwhile.
 * @param value where it stands; one that was not typed here is shown in the place of what was
 */
export function useTyped(value: string, put: (text: string) => void): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const sent = useRef<string[]>([]);
  useEffect(() => {
    const at = sent.current.indexOf(value);
    sent.current = at < 0 ? [] : sent.current.slice(at + 1);
    if (at < 0) setTyped(value);
  }, [value]);
  const type = (text: string) => {
    sent.current.push(text);
    setTyped(text);
    put(text);
  };
  return [typed, type];
}
