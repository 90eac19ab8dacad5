"use client";

import { Redo2, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import type { Editing } from "@/components/dashboards/edit/use-editing";
import type { Undoing } from "@/components/dashboards/edit/use-undo";
import { Tip } from "@/components/ui/tip";
import { toSaveWords } from "@/lib/features/dashboards/browser/edit/save-words";

type EditHeadProps = {
  editing: Editing;
  undoing: Undoing;
  isUnsaved: boolean;
  /** Leaves the editor; asks first if there are unsaved changes. */
  onLeave: () => void;
};

/** Title of the editor, with undo, discard and save. */
export function EditHead({ editing: { draft, changes, state, save }, undoing, isUnsaved, onLeave }: EditHeadProps) {
  const { undone, redone } = undoing;
  return (
    <div className="edit-head">
      <h1 id="page-title" className="trunc">
        {draft.title || "Untitled dashboard"}
      </h1>
      <span className="tag">Editing</span>
      <span className="xs t3 edit-said" title={changes.join("\n")}>
        {toSaveWords(state, changes.length)}
      </span>
      <span className="grow" />
      <span className="row edit-steps">
        <StepButton
          name="Undo"
          tip={undone === undefined ? "Nothing to undo" : `Undo: ${undone}`}
          keys="mod+z"
          icon={<Undo2 className="s" />}
          isDisabled={undone === undefined}
          onClick={undoing.undo}
        />
        <StepButton
          name="Redo"
          tip={redone === undefined ? "Nothing to redo" : `Redo: ${redone}`}
          keys="mod+shift+z"
          icon={<Redo2 className="s" />}
          isDisabled={redone === undefined}
          onClick={undoing.redo}
        />
      </span>
      <button type="button" className="btn" onClick={onLeave}>
        {isUnsaved ? "Discard changes" : "Close"}
      </button>
      <button
        type="button"
        className="btn primary"
        disabled={!isUnsaved || state === "saving" || state === "waiting"}
        onClick={save}
      >
        {state === "saving" ? "Saving" : "Save dashboard"}
      </button>
    </div>
  );
}

type StepButtonProps = {
  name: string;
  tip: string;
  keys: string;
  icon: ReactNode;
  isDisabled: boolean;
  onClick: () => void;
};

function StepButton({ name, tip, keys, icon, isDisabled, onClick }: StepButtonProps) {
  return (
    <Tip label={tip} keys={keys}>
      <button type="button" className="btn ghost" aria-label={name} aria-disabled={isDisabled} onClick={onClick}>
        {icon}
        <span className="edit-word">{name}</span>
      </button>
    </Tip>
  );
}
