"use client";

import { Database, FileDiff, History, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { Places } from "@/components/apps/workbench/use-places";
import type { Work } from "@/components/apps/workbench/use-work";
import { nameOf } from "@/lib/features/apps/browser/app-files";

const VIEWS = {
  changes: { name: "Changes", Icon: FileDiff },
  versions: { name: "Versions", Icon: History },
  bindings: { name: "Bindings", Icon: Database },
} as const;

/** Tabs of the open files: arrow keys move between them, Delete and the middle button close one. */
export function FileTabs({ work, places }: { work: Work; places: Places }) {
  const listRef = useRef<HTMLDivElement>(null);
  const { tabs, file, centre } = places;
  const shown = centre === "file" ? file : null;
  useEffect(() => {
    if (shown !== null)
      listRef.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [shown]);
  const onKeyDown = (event: KeyboardEvent, path: string) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step === undefined ? undefined : tabs[(tabs.indexOf(path) + step + tabs.length) % tabs.length];
    if (next !== undefined) {
      places.open(next);
      listRef.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
    } else if (event.key === "Delete") places.close(path);
    else return;
    event.preventDefault();
  };
  const view = centre === "file" ? null : VIEWS[centre];
  return (
    <div className="tabs">
      {tabs.length > 0 && (
        <div ref={listRef} className="tab-list" role="tablist" aria-label="Open files">
          {tabs.map((path) => {
            const isOn = path === shown;
            const isDirty = work.texts.has(path);
            return (
              <div
                key={path}
                role="tab"
                tabIndex={isOn || (shown === null && path === tabs[0]) ? 0 : -1}
                aria-selected={isOn}
                aria-controls={isOn ? "app-centre" : undefined}
                className={isOn ? "tab on" : "tab"}
                title={path}
                onClick={() => places.open(path)}
                onKeyDown={(event) => {
                  if (event.key === "Enter" || event.key === " ") places.open(path);
                  else onKeyDown(event, path);
                }}
                onAuxClick={(event) => event.button === 1 && places.close(path)}
              >
                <span className="trunc">{nameOf(path)}</span>
                {isDirty && <i className="dirty" role="img" aria-label="Unsaved" />}
                {/* For the pointer; the keyboard closes by Delete, and a tab cannot hold a button. */}
                <span
                  className="tab-close"
                  aria-hidden="true"
                  onClick={(event) => {
                    event.stopPropagation();
                    places.close(path);
                  }}
                >
                  <X className="xs" />
                </span>
              </div>
            );
          })}
        </div>
      )}
      {view && (
        <span className="tab on app-view-tab">
          <view.Icon className="s" />
          {view.name}
          <button
            type="button"
            className="tab-close"
            aria-label={`Close ${view.name}`}
            onClick={() => places.showCentre("file")}
          >
            <X className="xs" />
          </button>
        </span>
      )}
    </div>
  );
}
