"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { Segments } from "@/components/ui/segments";
import { appApi, type PublishConflict, type Resolutions } from "@/lib/features/apps/browser/client";
import type { App } from "@/lib/features/apps/schema";
import { later } from "@/lib/platform/browser/load-again";

const loadDiff = later(() => import("@/components/apps/workbench/text-diff"));
const TextMerge = lazyComponent(loadDiff, (module) => module.TextMerge);

type Choice = "mine" | "published" | "edit";

type ConflictListProps = {
  app: App;
  conflicts: readonly PublishConflict[];
  /** Commit of main that the conflicts are with. */
  mainSha: string | null;
  resolutions: Resolutions;
  onChange: (next: Resolutions) => void;
};

/** Files with overlapping changes on main and on the user's branch, each with a choice of what to keep. */
export function ConflictList({ app, conflicts, mainSha, resolutions, onChange }: ConflictListProps) {
  return (
    <ul className="conflicts" aria-label="Files with conflicts">
      {conflicts.map((conflict) => (
        <Conflict
          key={conflict.path}
          app={app}
          conflict={conflict}
          mainSha={mainSha}
          onSettle={(text) => {
            const { [conflict.path]: _, ...rest } = resolutions;
            onChange(text === undefined ? rest : { ...rest, [conflict.path]: text });
          }}
        />
      ))}
    </ul>
  );
}

type ConflictProps = {
  app: App;
  conflict: PublishConflict;
  mainSha: string | null;
  /** Called with the resolution: undefined to withdraw the choice, null for no file. */
  onSettle: (text: string | null | undefined) => void;
};

function Conflict({ app, conflict: { path, ours, theirs }, mainSha, onSettle }: ConflictProps) {
  const { workspace } = useWorkspace();
  const [choice, setChoice] = useState<Choice | "">("");
  const isTold = (ours === null || ours.content !== null) && (theirs === null || theirs.content !== null);
  // Texts that are too long for the response are read separately.
  const whole = useQuery({
    queryKey: ["app-conflict", workspace.id, app.id, path, ours?.oid, theirs?.oid],
    queryFn: async ({ signal }) => {
      const mine = theirs && (await appApi.readFile(workspace.id, app.id, path, undefined, signal));
      const other =
        ours === null || mainSha === null ? null : await appApi.readFile(workspace.id, app.id, path, mainSha, signal);
      return { mine, other };
    },
    enabled: !isTold,
  });
  const isText =
    whole.data !== undefined && whole.data.mine?.encoding !== "base64" && whole.data.other?.encoding !== "base64";
  const mine = isTold ? (theirs?.content ?? null) : (whole.data?.mine?.content ?? null);
  const published = isTold ? (ours?.content ?? null) : (whole.data?.other?.content ?? null);
  if (!isTold && whole.isPending) return <ListSkeleton label="Loading both versions" rows={2} />;
  if (!isTold && !isText) {
    return (
      <li className="conflict">
        <span className="mono b5">{path}</span>
        <p className="t2">Can't merge this file here. Merge main with Git, then publish.</p>
      </li>
    );
  }
  const choose = (next: Choice) => {
    setChoice(next);
    onSettle(next === "mine" ? mine : next === "published" ? published : (mine ?? ""));
  };
  return (
    <li className="conflict">
      <div className="row">
        <span className="mono b5 trunc grow">{path}</span>
        <Segments
          label={`Version of ${path} to keep`}
          value={choice as Choice}
          onChange={choose}
          options={[
            { value: "mine", label: mine === null ? "Mine (deleted)" : "Mine" },
            { value: "published", label: published === null ? "Main (deleted)" : "Main" },
            { value: "edit", label: "Merge manually" },
          ]}
        />
      </div>
      {choice === "edit" && (
        <TextMerge path={path} theirs={published ?? ""} mine={mine ?? ""} onChange={(text) => onSettle(text)} />
      )}
    </li>
  );
}
