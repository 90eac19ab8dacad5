"use client";

import { History } from "lucide-react";
import { useId, useState } from "react";
import { EditSide } from "@/components/dashboards/edit/edit-side";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import { FieldProblem } from "@/components/ui/form-parts";
import { lazyComponent } from "@/components/ui/lazy-component";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { TITLE_CHARS_MAX } from "@/lib/features/dashboards/limits";
import { later } from "@/lib/platform/browser/load-again";

const loadHistory = later(() => import("@/components/dashboards/edit/history-dialog"));
const HistoryDialog = lazyComponent(loadHistory, (module) => module.HistoryDialog);

type PagePanelProps = { editing: Editing; dashboardId: string; onClose: () => void };

/** Settings of the whole page: title, description and access. */
export function PagePanel({ editing, dashboardId, onClose }: PagePanelProps) {
  const id = useId();
  const { draft, apply, pause, problemOf } = editing;
  const ofDescription = problemOf("description");
  const [isHistory, setIsHistory] = useState(false);
  return (
    <EditSide title="Dashboard settings" onClose={onClose}>
      <TextField
        label="Title"
        value={draft.title}
        maxLength={TITLE_CHARS_MAX}
        autoComplete="off"
        isDense
        error={draft.title.trim() === "" ? "Enter a title." : problemOf("title")}
        onChange={({ target }) => apply({ ...draft, title: target.value }, "Rename dashboard", "page title")}
        onBlur={pause}
      />
      <div className="field">
        <label htmlFor={`${id}-description`}>Description</label>
        <div className={ofDescription === undefined ? "input edit-text" : "input edit-text err"}>
          <textarea
            id={`${id}-description`}
            aria-invalid={ofDescription === undefined ? undefined : true}
            aria-describedby={`${id}-description-problem`}
            value={draft.description}
            maxLength={2000}
            onChange={({ target }) =>
              apply({ ...draft, description: target.value }, "Change description", "page description")
            }
            onBlur={pause}
          />
        </div>
        <FieldProblem id={`${id}-description-problem`} text={ofDescription} />
      </div>
      <div className="field">
        <span id={`${id}-access`} className="flabel">
          Visibility
        </span>
        <Select
          labelId={`${id}-access`}
          describedBy={`${id}-access-help`}
          size="sm"
          value={draft.access}
          options={[
            { value: "private", label: "Only you" },
            { value: "workspace", label: "Everyone in the workspace" },
          ]}
          onChange={(access) =>
            apply({ ...draft, access }, access === "private" ? "Make dashboard private" : "Share with workspace")
          }
        />
        <div id={`${id}-access-help`} className="help">
          Viewers see all its data, read with the owner's permissions.
        </div>
      </div>
      <button type="button" className="btn" onClick={() => setIsHistory(true)}>
        <History className="s" />
        History
      </button>
      {isHistory && (
        <HistoryDialog
          dashboardId={dashboardId}
          isUnsaved={editing.changes.length > 0}
          onClose={() => setIsHistory(false)}
        />
      )}
    </EditSide>
  );
}
