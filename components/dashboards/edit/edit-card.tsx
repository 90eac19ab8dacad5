"use client";

import {
  ArrowDown,
  ArrowDownToLine,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  ArrowUpToLine,
  CopyPlus,
  Ellipsis,
  GripHorizontal,
  MoveHorizontal,
  PencilLine,
  Scaling,
  Trash2,
} from "lucide-react";
import type { KeyboardEvent } from "react";
import { usePreview } from "@/components/dashboards/edit/use-preview";
import { WidgetBody } from "@/components/dashboards/widget-body";
import { Menu, MenuBranch, MenuItem, MenuLine } from "@/components/ui/menu";
import { type Draft, toWidgetName } from "@/lib/features/dashboards/browser/edit/draft";
import type { Move, Sizing } from "@/lib/features/dashboards/browser/edit/layout";
import { readsData } from "@/lib/features/dashboards/kinds/traits";
import type { Widget } from "@/lib/features/dashboards/schema";

/** Actions on a widget, by its id. */
export type CardActions = {
  onChoose: (id: string) => void;
  onDuplicate: (id: string) => void;
  onRemove: (id: string) => void;
};

type EditCardProps = CardActions & {
  dashboardId: string;
  draft: Draft;
  widget: Widget;
  isChosen: boolean;
  onMove: (where: Move) => void;
  onSize: (how: Sizing) => void;
};

const MOVE_KEYS: Record<string, Move> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", Home: "top", End: "bottom" }; // biome-ignore format: one look
const SIZE_KEYS: Record<string, Sizing> = { ArrowLeft: "narrower", ArrowRight: "wider", ArrowUp: "lower", ArrowDown: "taller" }; // biome-ignore format: one look

/** One widget on the grid: a preview, a handle for pointer and keyboard, and a menu with the same actions. */
export function EditCard({
  dashboardId,
  draft,
  widget,
  isChosen,
  onMove,
  onSize,
  onChoose,
  onDuplicate,
  onRemove,
}: EditCardProps) {
  const { id, title, source } = widget;
  const { data, isReading } = usePreview(dashboardId, draft, widget);
  const name = toWidgetName(widget);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const where = event.shiftKey ? undefined : MOVE_KEYS[event.key];
    const how = event.shiftKey ? SIZE_KEYS[event.key] : undefined;
    if (where) onMove(where);
    else if (how) onSize(how);
    else if (event.key === "Delete" || event.key === "Backspace") onRemove(id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <article
      className={isChosen ? "widget-card edit-card on" : "widget-card edit-card"}
      aria-label={name}
      aria-busy={isReading}
    >
      <button
        type="button"
        className="edit-grip edit-drag"
        aria-label={`Move or resize ${name}`}
        aria-describedby="edit-help"
        onKeyDown={onKeyDown}
        onClick={() => onChoose(id)}
      >
        <GripHorizontal className="s" />
      </button>
      <div className="widget-head edit-drag">
        <h2 className="trunc">
          <button
            type="button"
            className="edit-name edit-still"
            aria-label={`Edit ${name}`}
            aria-pressed={isChosen}
            onClick={() => onChoose(id)}
          >
            {title || <span className="t3">{name}</span>}
          </button>
        </h2>
        <Menu
          align="end"
          trigger={
            <button type="button" className="btn ghost icon sm edit-still" aria-label={`Actions for ${name}`}>
              <Ellipsis />
            </button>
          }
        >
          <MenuItem icon={<PencilLine className="s" />} onSelect={() => onChoose(id)}>
            Edit
          </MenuItem>
          <MenuBranch icon={<MoveHorizontal className="s" />} label="Move">
            <MenuItem icon={<ArrowUp className="s" />} onSelect={() => onMove("up")}>
              Up
            </MenuItem>
            <MenuItem icon={<ArrowDown className="s" />} onSelect={() => onMove("down")}>
              Down
            </MenuItem>
            <MenuItem icon={<ArrowLeft className="s" />} onSelect={() => onMove("left")}>
              Left
            </MenuItem>
            <MenuItem icon={<ArrowRight className="s" />} onSelect={() => onMove("right")}>
              Right
            </MenuItem>
            <MenuLine />
            <MenuItem icon={<ArrowUpToLine className="s" />} onSelect={() => onMove("top")}>
              To top
            </MenuItem>
            <MenuItem icon={<ArrowDownToLine className="s" />} onSelect={() => onMove("bottom")}>
              To bottom
            </MenuItem>
          </MenuBranch>
          <MenuBranch icon={<Scaling className="s" />} label="Size">
            <MenuItem onSelect={() => onSize("wider")}>Wider</MenuItem>
            <MenuItem onSelect={() => onSize("narrower")}>Narrower</MenuItem>
            <MenuItem onSelect={() => onSize("taller")}>Taller</MenuItem>
            <MenuItem onSelect={() => onSize("lower")}>Shorter</MenuItem>
            <MenuLine />
            <MenuItem onSelect={() => onSize("whole")}>Full width</MenuItem>
          </MenuBranch>
          <MenuLine />
          <MenuItem icon={<CopyPlus className="s" />} onSelect={() => onDuplicate(id)}>
            Duplicate
          </MenuItem>
          <MenuItem icon={<Trash2 className="s" />} onSelect={() => onRemove(id)}>
            Remove
          </MenuItem>
        </Menu>
      </div>
      {readsData(widget) && source === null ? (
        <p className="widget-said">
          <button type="button" className="link" onClick={() => onChoose(id)}>
            Select a data source
          </button>
        </p>
      ) : (
        <WidgetBody widget={widget} data={data} />
      )}
    </article>
  );
}
