"use client";

import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { useSideSlot } from "@/components/layout/side-slot";
import { SidePanel } from "@/components/ui/side-panel";

const SLOT = Symbol("dashboard-edit");

type EditSideProps = { title: string; actions?: ReactNode; foot?: ReactNode; onClose: () => void; children: ReactNode };

/** The right panel of an edited page, in place of the agent. */
export function EditSide({ children, ...panel }: EditSideProps) {
  const slot = useSideSlot(SLOT);
  return (
    slot &&
    createPortal(
      <SidePanel {...panel}>
        <div className="edit-panel">{children}</div>
      </SidePanel>,
      slot,
    )
  );
}
