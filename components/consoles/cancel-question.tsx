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
      title="Cancel run?"
      isOpen
      onClose={onKeep}
      foot={
        <>
          <button type="button" className="btn" onClick={onKeep}>
            Keep running
          </button>
          <button type="button" className="btn danger" onClick={onCancel}>
            Cancel run
          </button>
        </>
      }
    >
      <p>It has run for {formatDuration(Math.max(0, (now ?? startedAt) - startedAt))}. Its progress will be lost.</p>
    </Modal>
  );
}
