"use client";

import { Confirm } from "@/components/ui/confirm";
import "./discard-changes.css";

type DiscardChangesProps = { changes: readonly string[]; isOpen: boolean; onClose: () => void; onDiscard: () => void };

/** Asks for confirmation before unsaved changes are discarded, and lists them. */
export function DiscardChanges({ changes, isOpen, onClose, onDiscard }: DiscardChangesProps) {
  return (
    <Confirm
      title="Discard changes?"
      action="Discard changes"
      isOpen={isOpen}
      isBusy={false}
      failure={null}
      onClose={onClose}
      onConfirm={onDiscard}
    >
      <p>These changes will be lost:</p>
      <ul className="edit-changes">
        {changes.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </Confirm>
  );
}
