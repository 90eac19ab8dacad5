"use client";

import { Database, SquareTerminal, Table2 } from "lucide-react";
import type { Mentionable } from "@/components/agent/use-mentions";

type MentionMenuProps = {
  /** Id of the list; its options have the same id with their place. */
  id: string;
  offered: readonly Mentionable[];
  /** Place of the selected name. */
  at: number;
  onChoose: (chosen: Mentionable) => void;
};

/** Names that can be mentioned. The focus stays in the message field, which handles the keys. */
export function MentionMenu({ id, offered, at: selected, onChoose }: MentionMenuProps) {
  return (
    <div className="menu mention-menu" role="listbox" id={id} aria-label="Mentions">
      {offered.map((each, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus, and the keys
        <div
          key={`${each.kind} ${each.name} ${each.detail}`}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === selected}
          className="menu-item"
          data-highlighted={at === selected ? "" : undefined}
          // Keeps the focus in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(each)}
        >
          <MentionIcon kind={each.kind} />
          <span className="trunc">{each.name}</span>
          <span className="end trunc">{each.detail}</span>
        </div>
      ))}
    </div>
  );
}

function MentionIcon({ kind }: { kind: Mentionable["kind"] }) {
  const Icon = kind === "table" ? Table2 : kind === "console" ? SquareTerminal : Database;
  return <Icon className="s" />;
}
