"use client";

import { Modal } from "@/components/ui/modal";
import { useNow } from "@/components/ui/use-browser";
import { formatDuration } from "@/lib/platform/browser/format";

/** Asks before Escape discards a long run. @param startedAt start of the run, epoch milliseconds */
export function CancelQuestion({
  startedAt,
  onCancel,
  onKeep,
}: {
  startedAt: number;
  onCancel: () => void;
  onKeep: () => void;
}) {
  const now = useNow(true, 1000);
  return (
    <Modal
      title="Cancel this run?"
      isOpen
      onClose={onKeep}
      foot={
        <>
          <button type="button" className="btn" onClick={onKeep}>
            Keep waiting
          </button>
          <button type="button" className="btn danger" onClick={onCancel}>
            Cancel the run
          </button>
        </>
      }
    >
      <p>
        The database has worked on it for {formatDuration(Math.max(0, (now ?? startedAt) - startedAt))}. Its work so far
        is lost.
      </p>
    </Modal>
  );
}
