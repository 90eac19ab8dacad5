"use client";

import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";

type ModalProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  foot?: ReactNode;
  /** Default: the first control. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** Whether it is as large as the page allows, for rows. */
  isWide?: boolean;
  /** Two columns side by side, if there is room. */
  isDouble?: boolean;
};

/** A dialog with a title. It traps the focus and restores it. */
export function Modal({
  title,
  isOpen,
  onClose,
  children,
  foot,
  initialFocus,
  isWide = false,
  isDouble = false,
}: ModalProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup
          initialFocus={initialFocus}
          className={isWide ? "dlg dlg-wide" : isDouble ? "dlg dlg-double" : "dlg"}
        >
          <div className="dlg-head">
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Close className="btn ghost icon" aria-label="Close">
              <X />
            </Dialog.Close>
          </div>
          <div className="dlg-body">{children}</div>
          {foot && <div className="dlg-foot">{foot}</div>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
