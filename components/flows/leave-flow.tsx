"use client";

import { LeaveQuestion } from "@/components/ui/leave-question";

type LeaveFlowProps = {
  /** Whether there are unsaved changes. */
  isOn: boolean;
  /** Discards the draft, which is otherwise kept in this tab; null if the changes will be lost. */
  onDiscard: (() => void) | null;
};

/** Asks for confirmation before leaving a flow's form with unsaved changes. */
export function LeaveFlow({ isOn, onDiscard }: LeaveFlowProps) {
  return (
    <LeaveQuestion
      title={onDiscard ? "Discard the new flow?" : "Leave without saving?"}
      isOn={isOn}
      onDiscard={onDiscard}
    >
      {onDiscard
        ? "Keep the draft to continue later in this tab under New flow."
        : "Your unsaved changes will be lost."}
    </LeaveQuestion>
  );
}
