"use client";

import { CopyPlus, Pencil, Plus, TextCursorInput, Trash2, Undo2 } from "lucide-react";
import { MenuBranch, MenuItem, MenuLine } from "@/components/ui/menu";
import { DEFAULT, type NewValue } from "@/lib/features/results/browser/row-edits";

type EditItemsProps = {
  /** Name of the value that a column without one gets. */
  defaultLabel: string;
  isChanged: boolean;
  onEdit: () => void;
  onSet: (value: NewValue) => void;
  onAdd: () => void;
  onDuplicate: () => void;
  onDelete: () => void;
  onRevert: () => void;
  /** Opens the form of a new field of the document; absent for rows of a table. */
  onAddField?: (() => void) | undefined;
};

/** Items of a cell's menu that edit the selection. */
export function EditItems({
  defaultLabel,
  isChanged,
  onEdit,
  onSet,
  onAdd,
  onDuplicate,
  onDelete,
  onRevert,
  onAddField,
}: EditItemsProps) {
  return (
    <>
      <MenuItem icon={<Pencil />} keys="enter" onSelect={onEdit}>
        Edit cell
      </MenuItem>
      <MenuBranch icon={<Pencil />} label="Set to">
        <MenuItem onSelect={() => onSet(null)}>NULL</MenuItem>
        <MenuItem onSelect={() => onSet(DEFAULT)}>{defaultLabel}</MenuItem>
        <MenuItem onSelect={() => onSet("")}>Empty text</MenuItem>
      </MenuBranch>
      {onAddField && (
        <MenuItem icon={<TextCursorInput />} onSelect={onAddField}>
          Add field
        </MenuItem>
      )}
      <MenuItem icon={<Plus />} onSelect={onAdd}>
        Add row
      </MenuItem>
      <MenuItem icon={<CopyPlus />} onSelect={onDuplicate}>
        Duplicate row
      </MenuItem>
      <MenuItem icon={<Trash2 />} keys="mod+backspace" onSelect={onDelete}>
        Delete row
      </MenuItem>
      {isChanged && (
        <MenuItem icon={<Undo2 />} onSelect={onRevert}>
          Revert row
        </MenuItem>
      )}
      <MenuLine />
    </>
  );
}
