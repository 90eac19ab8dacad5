"use client";

import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { TextDiff } from "@/components/apps/workbench/text-diff";
import { useAppFile } from "@/components/apps/workbench/use-work";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { imageTypeOf } from "@/lib/features/apps/browser/app-files";
import type { App, AppFile } from "@/lib/features/apps/schema";

export type Change = { path: string; status: "added" | "modified" | "deleted" | "renamed" };

/** Sides of a change: commits by id, `null` for no file, undefined for the user's version. */
export type Sides = { before: string | null; after?: string; beforeLabel: string; afterLabel: string };

const LETTERS = { added: "A", modified: "M", deleted: "D", renamed: "R" } as const;
const WORDS = { added: "added", modified: "changed", deleted: "deleted", renamed: "renamed" } as const;

type ChangeListProps = {
  app: App;
  label: string;
  changes: readonly Change[];
  sides: Sides;
  /** Number of files that are expanded at first. */
  openCount?: number;
  /** Renders the action at the end of a file's row. */
  toAction?: (change: Change) => ReactNode;
};

/** List of changed files, each with its diff when expanded. */
export function ChangeList({ app, label, changes, sides, openCount = 1, toAction }: ChangeListProps) {
  return (
    <ul className="change-list" aria-label={label}>
      {changes.map((change, at) => (
        <ChangeItem
          key={`${change.path} ${sides.before} ${sides.after}`}
          app={app}
          change={change}
          sides={sides}
          isOpenFirst={at < openCount}
          action={toAction?.(change)}
        />
      ))}
    </ul>
  );
}

type ItemProps = { app: App; change: Change; sides: Sides; isOpenFirst: boolean; action: ReactNode };

function ChangeItem({ app, change, sides, isOpenFirst, action }: ItemProps) {
  const [isOpen, setIsOpen] = useState(isOpenFirst);
  const { path, status } = change;
  return (
    <li>
      <div className="row change-head">
        <button type="button" className="change-name" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? <ChevronDown className="xs" /> : <ChevronRight className="xs" />}
          <ChangeMark status={status} />
          <span className="mono trunc">{path}</span>
        </button>
        <span className="grow" />
        {action}
      </div>
      {isOpen && <Difference app={app} change={change} sides={sides} />}
    </li>
  );
}

export function ChangeMark({ status }: { status: Change["status"] }) {
  return (
    <span className={`file-mark ${status}`} title={WORDS[status]}>
      <span aria-hidden="true">{LETTERS[status]}</span>
      <span className="sr-only">{WORDS[status]}</span>
    </span>
  );
}

function Difference({ app, change: { path, status }, sides }: Pick<ItemProps, "app" | "change" | "sides">) {
  const isPicture = imageTypeOf(path) !== null && !path.endsWith(".svg");
  const hasBefore = status === "modified" || status === "deleted";
  const hasAfter = status !== "deleted";
  const before = useAppFile(
    app,
    hasBefore && sides.before !== null && !isPicture ? path : null,
    sides.before ?? undefined,
  );
  const after = useAppFile(app, hasAfter && !isPicture ? path : null, sides.after);
  const failed = [before, after].find((each) => each.isError);
  if (isPicture) return <p className="change-none t2">Image. Open the file to view it.</p>;
  if (failed?.error) {
    return (
      <div className="change-none">
        <LoadFailure error={failed.error} onRetry={() => failed.refetch()} />
      </div>
    );
  }
  if ((hasBefore && !before.data) || (hasAfter && !after.data)) return <ListSkeleton label="Loading change" rows={2} />;
  const [old, now] = [textOf(before.data), textOf(after.data)];
  if (old === null || now === null) {
    return <p className="change-none t2">Binary file. No diff available.</p>;
  }
  if (old === now) return <p className="change-none t2">Content unchanged.</p>;
  return (
    <TextDiff path={path} before={old} after={now} beforeLabel={sides.beforeLabel} afterLabel={sides.afterLabel} />
  );
}

/** Returns a file's text: "" for a missing file, null for a binary one. */
function textOf(file: AppFile | undefined): string | null {
  if (file === undefined) return "";
  return file.encoding === "utf8" ? file.content : null;
}
