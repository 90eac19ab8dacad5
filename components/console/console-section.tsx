"use client";

import { ChevronDown, ChevronRight, Ellipsis, FileCode2, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useActiveConsoleId, useConsoleActions } from "@/components/console/use-console-actions";
import { useDesk } from "@/components/shell/workspace-context";
import { Menu, MenuItem } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import { Tip } from "@/components/ui/tip";
import { Tree, type TreeRow } from "@/components/ui/tree";

/** The consoles of this person, as the explorer lists them. */
export function ConsoleSection() {
  const desk = useDesk();
  const activeId = useActiveConsoleId();
  const { open, create, rename, remove } = useConsoleActions();
  const [isOpen, setIsOpen] = useState(true);
  const [renamingId, setRenamingId] = useState<string | null>(null);
  const consoles = desk?.consoles ?? [];
  const rows = consoles.map(
    ({ id, name }, i): TreeRow => ({
      id,
      parentId: null,
      level: 1,
      label: name,
      isSelected: id === activeId,
      positionInSet: i + 1,
      setSize: consoles.length,
      content: (
        <>
          <FileCode2 />
          {renamingId === id ? (
            <NameInput
              label="Name of the console"
              value={name}
              onDone={(typed) => {
                setRenamingId(null);
                if (typed !== null) rename(id, typed);
              }}
            />
          ) : (
            <>
              <span className="trunc grow">{name}</span>
              <Menu
                align="end"
                trigger={
                  <button
                    type="button"
                    className="row-act"
                    aria-label={`More about ${name}`}
                    tabIndex={-1}
                    onClick={(event) => event.stopPropagation()}
                  >
                    <Ellipsis className="s" />
                  </button>
                }
              >
                <MenuItem icon={<Pencil />} keys="F2" onSelect={() => setRenamingId(id)}>
                  Rename
                </MenuItem>
                <MenuItem icon={<Trash2 />} keys="Del" onSelect={() => remove(id)}>
                  Delete
                </MenuItem>
              </Menu>
            </>
          )}
        </>
      ),
    }),
  );
  return (
    <section className="sec-box console-box" aria-label="Consoles">
      <div className="sec">
        <button type="button" className="sec-name" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? <ChevronDown className="xs" /> : <ChevronRight className="xs" />}
          <h2>Consoles</h2>
        </button>
        <span className="acts">
          <Tip label="New console" keys="c">
            <button type="button" aria-label="New console" onClick={() => create()}>
              <Plus className="s" />
            </button>
          </Tip>
        </span>
      </div>
      {isOpen && desk !== null && consoles.length === 0 && (
        <p className="sec-note">No consoles yet. Make one to ask your data something.</p>
      )}
      {isOpen && consoles.length > 0 && (
        <Tree label="Consoles" rows={rows} onActivate={(id) => open(id)} onRename={setRenamingId} onRemove={remove} />
      )}
    </section>
  );
}
