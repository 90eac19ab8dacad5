"use client";

import { ChevronDown, ChevronLeft, Database, EllipsisVertical, Lock, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useConsoleActions } from "@/components/console/use-console-actions";
import { useDatabases } from "@/components/schema/use-schema";
import { useWorkspace } from "@/components/shell/workspace-context";
import { Menu, MenuChoice, MenuItem } from "@/components/ui/menu";
import { NameInput } from "@/components/ui/name-input";
import type { Connection } from "@/lib/connections/schema";
import { toEngineName } from "@/lib/ui/column-kind";
import { changeConsole, type DraftConsole } from "@/lib/ui/desk";

type HeadProps = { draft: DraftConsole; connection: Connection | null };

/** The bar above the editor: the name, and what it runs on. */
export function ConsoleBar({ draft, connection }: HeadProps) {
  return (
    <div className="bar">
      <h1 className="b5 trunc">{draft.name}</h1>
      <ConnectionChip draft={draft} connection={connection} />
    </div>
  );
}

function ConnectionChip({ draft, connection }: HeadProps) {
  const { desk: store } = useWorkspace();
  const databases = useDatabases();
  if (connection === null) return null;
  const face = (
    <>
      <Database />
      <span className="trunc">{connection.name}</span>
      {connection.readOnly && <span className="t3">Read-only</span>}
    </>
  );
  if (databases.length < 2) return <span className="chip">{face}</span>;
  return (
    <Menu
      trigger={
        <button type="button" className="chip" aria-label={`Connection ${connection.name}, change it`}>
          {face}
          <ChevronDown className="xs t3" />
        </button>
      }
    >
      <MenuChoice
        label="Run on"
        value={connection.id}
        onChange={(connectionId) => store.change((each) => changeConsole(each, draft.id, { connectionId }))}
        options={databases.map(({ id, name, type }) => ({
          value: id,
          label: name,
          icon: <Database />,
          end: toEngineName(type),
        }))}
      />
    </Menu>
  );
}

/** The same on a phone, with the way back to the list. */
export function PhoneHead({ draft, connection }: HeadProps) {
  const { workspace } = useWorkspace();
  const { rename, remove } = useConsoleActions();
  const [isRenaming, setIsRenaming] = useState(false);
  const goToList = () => window.history.pushState(null, "", `/w/${workspace.slug}`);
  return (
    <header className="phone-head">
      <button type="button" className="touch" aria-label="Back to the list" onClick={goToList}>
        <ChevronLeft className="l" />
      </button>
      <div className="grow">
        {isRenaming ? (
          <NameInput
            label="Name of the console"
            value={draft.name}
            onDone={(typed) => {
              setIsRenaming(false);
              if (typed !== null) rename(draft.id, typed);
            }}
          />
        ) : (
          <h1 className="trunc">{draft.name}</h1>
        )}
        {connection && (
          <div className="xs t3 row phone-where">
            {connection.readOnly && <Lock className="xs" />}
            <span className="trunc">
              {connection.name}
              {connection.readOnly ? ", read-only" : ""}
            </span>
          </div>
        )}
      </div>
      <Menu
        align="end"
        trigger={
          <button type="button" className="touch" aria-label="More about this console">
            <EllipsisVertical className="l" />
          </button>
        }
      >
        <MenuItem icon={<Pencil />} onSelect={() => setIsRenaming(true)}>
          Rename
        </MenuItem>
        <MenuItem icon={<Trash2 />} onSelect={() => remove(draft.id)}>
          Delete
        </MenuItem>
      </Menu>
    </header>
  );
}
