"use client";

import { useState } from "react";
import type { CellValue } from "@/lib/base/values/json-rows";
import { formatCount } from "@/lib/platform/browser/format";

/** Levels that are expanded at first. */
const OPEN_LEVELS = 2;
/** Entries shown per level at first; a button shows more. */
const SHOWN_ENTRIES = 100;

type Structure = CellValue[] | { [key: string]: CellValue };

/** Tree view of a structure. */
export function JsonTree({ value, level = 0 }: { value: Structure; level?: number }) {
  const [shown, setShown] = useState(SHOWN_ENTRIES);
  const entries = Object.entries(value);
  return (
    <ul className="json-tree">
      {entries.slice(0, shown).map(([key, each]) => (
        <li key={key}>
          {isStructure(each) ? (
            <details open={level + 1 < OPEN_LEVELS}>
              <summary>
                <span className="jk">{key}</span> <span className="t3">{countEntries(each)}</span>
              </summary>
              <JsonTree value={each} level={level + 1} />
            </details>
          ) : (
            <>
              <span className="jk">{key}</span>: <JsonLeaf value={each} />
            </>
          )}
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" className="link" onClick={() => setShown(shown + SHOWN_ENTRIES)}>
            {formatCount(entries.length - shown)} more
          </button>
        </li>
      )}
    </ul>
  );
}

function JsonLeaf({ value }: { value: null | boolean | number | string }) {
  if (typeof value === "string") return <span className="js">{JSON.stringify(value)}</span>;
  return <span className={value === null ? "jn null" : "jn"}>{String(value)}</span>;
}

/** Returns the structure in a cell: the value, or the one parsed from its JSON text; null for other values. */
export function toStructure(value: CellValue | undefined): Structure | null {
  if (isStructure(value)) return value;
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return null;
  try {
    const parsed: CellValue = JSON.parse(value);
    return isStructure(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

export function countEntries(value: Structure): string {
  return Array.isArray(value) ? `[${formatCount(value.length)}]` : `{${formatCount(Object.keys(value).length)}}`;
}

function isStructure(value: CellValue | undefined): value is Structure {
  return typeof value === "object" && value !== null;
}
