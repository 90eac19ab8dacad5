"use client";

import { Modal } from "@/components/ui/modal";

/** Asks before a link leads out of an app, since its content may be written by anyone. */
export function LeaveApp({ to, onClose }: { to: URL | null; onClose: () => void }) {
  return (
    <Modal
      title="Open this link?"
      isOpen={to !== null}
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={onClose}>
            Cancel
          </button>
          {to && (
            <a className="btn primary" href={to.href} target="_blank" rel="noopener noreferrer" onClick={onClose}>
              Open in new tab
            </a>
          )}
        </>
      }
    >
      <p>
        This link leaves the app and opens <b className="b5">{to?.host || to?.protocol}</b>.
      </p>
      <p className="mono app-leave">{to?.href}</p>
    </Modal>
  );
}
