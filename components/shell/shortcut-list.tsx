"use client";

import { ShortcutGroups } from "@/components/layout/shortcut-groups";
import { Modal } from "@/components/ui/modal";

/** All shortcuts, searchable. */
export function ShortcutList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="Shortcuts" isOpen={isOpen} onClose={onClose}>
      <ShortcutGroups />
    </Modal>
  );
}
