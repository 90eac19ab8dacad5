"use client";

import { ShortcutGroups } from "@/components/layout/shortcut-groups";
import { Modal } from "@/components/ui/modal";

/** Searchable list of all shortcuts. */
export function ShortcutList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="Shortcuts" isOpen={isOpen} onClose={onClose}>
      <ShortcutGroups />
    </Modal>
  );
}
