"use client";

import { Modal } from "@/components/ui/modal";
import { ShortcutGroups } from "@/components/workspace/shortcut-groups";

/** All shortcuts, searchable. */
export function ShortcutList({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal title="Shortcuts" isOpen={isOpen} onClose={onClose}>
      <ShortcutGroups />
    </Modal>
  );
}
