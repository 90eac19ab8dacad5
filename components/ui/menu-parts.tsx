"use client";

import { Menu as BaseMenu } from "@base-ui/react/menu";
import { Check, ChevronRight } from "lucide-react";
import Link from "next/link";
import type { ReactElement, ReactNode } from "react";
import { Keys } from "@/components/ui/keys";

export type MenuProps = {
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
};

/** The menu itself, open from the start: it is mounted by the first press on its trigger. */
export function OpenedMenu({ trigger, children, align = "start", side = "bottom" }: MenuProps) {
  return (
    <BaseMenu.Root defaultOpen>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="menu-pos" align={align} side={side} sideOffset={4} collisionPadding={8}>
          <BaseMenu.Popup className="menu">{children}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

/** A point of the window, in CSS pixels, at which a menu opens. */
export type MenuPlace = { x: number; y: number };

type PlacedMenuProps = {
  /** What the menu acts on, its first line. */
  about: string;
  place: MenuPlace;
  isOpen: boolean;
  onClose: () => void;
  /** It is out of sight: what it acted on may go. */
  onGone: () => void;
  /** Has the focus again when the menu closes. */
  back: HTMLElement | null;
  children: ReactNode;
};

/** A menu at a point instead of at a trigger: what was pressed may be a cell or a row that never has the focus itself. */
export function PlacedMenu({ about, place, isOpen, onClose, onGone, back, children }: PlacedMenuProps) {
  const anchor = { getBoundingClientRect: () => DOMRect.fromRect({ x: place.x, y: place.y, width: 0, height: 0 }) };
  return (
    <BaseMenu.Root
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      onOpenChangeComplete={(open) => !open && onGone()}
    >
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="menu-pos" anchor={anchor} align="start" sideOffset={2} collisionPadding={8}>
          <BaseMenu.Popup
            className="menu"
            aria-label={about}
            finalFocus={() => back}
            // The browser's own menu has nothing to say about ours.
            onContextMenu={(event) => event.preventDefault()}
          >
            <div className="menu-about trunc" title={about}>
              {about}
            </div>
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

/** An item that opens one more level; there is never a third. */
export function MenuBranch({ icon, label, children }: { icon?: ReactNode; label: string; children: ReactNode }) {
  return (
    <BaseMenu.SubmenuRoot>
      <BaseMenu.SubmenuTrigger className="menu-item">
        {icon}
        <span className="trunc">{label}</span>
        <span className="end">
          <ChevronRight className="xs" />
        </span>
      </BaseMenu.SubmenuTrigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="menu-pos" sideOffset={2} collisionPadding={8}>
          <BaseMenu.Popup className="menu">{children}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.SubmenuRoot>
  );
}

type ItemProps = { icon?: ReactNode; keys?: string; end?: ReactNode; onSelect: () => void; children: ReactNode };

export function MenuItem({ icon, keys, end, onSelect, children }: ItemProps) {
  return (
    <BaseMenu.Item className="menu-item" onClick={onSelect}>
      {icon}
      <span className="trunc">{children}</span>
      {end && <span className="end">{end}</span>}
      {keys && <Keys keys={keys} />}
    </BaseMenu.Item>
  );
}

type LinkProps = {
  icon?: ReactNode;
  href: string;
  /** It stays in the workspace: the page around the view goes on. Other links load theirs anew. */
  isNear?: boolean;
  keys?: string;
  end?: ReactNode;
  children: ReactNode;
};

export function MenuLink({ icon, href, isNear = false, keys, end, children }: LinkProps) {
  return (
    <BaseMenu.LinkItem
      className="menu-item"
      render={isNear ? <Link href={href} /> : undefined}
      href={href}
      closeOnClick
    >
      {icon}
      <span className="trunc">{children}</span>
      {end && <span className="end">{end}</span>}
      {keys && <Keys keys={keys} />}
    </BaseMenu.LinkItem>
  );
}

export type ChoiceProps<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: { value: T; label: ReactNode; icon?: ReactNode; end?: ReactNode }[];
};

/** One of several: the chosen one is ticked. */
export function MenuChoice<T extends string>({ label, value, onChange, options }: ChoiceProps<T>) {
  return (
    <BaseMenu.Group>
      <BaseMenu.GroupLabel className="menu-label">{label}</BaseMenu.GroupLabel>
      <BaseMenu.RadioGroup value={value} onValueChange={(next: T) => onChange(next)}>
        {options.map((option) => (
          <BaseMenu.RadioItem key={option.value} value={option.value} className="menu-item" closeOnClick>
            {option.icon}
            <span className="trunc">{option.label}</span>
            {option.end && <span className="end">{option.end}</span>}
            <span className="tick at-end">
              <BaseMenu.RadioItemIndicator>
                <Check className="s" />
              </BaseMenu.RadioItemIndicator>
            </span>
          </BaseMenu.RadioItem>
        ))}
      </BaseMenu.RadioGroup>
    </BaseMenu.Group>
  );
}

type ToggleProps = { isOn: boolean; onChange: (isOn: boolean) => void; end?: ReactNode; children: ReactNode };

/** On or off, and the menu stays open for the next one. */
export function MenuToggle({ isOn, onChange, end, children }: ToggleProps) {
  return (
    <BaseMenu.CheckboxItem className="menu-item" checked={isOn} onCheckedChange={onChange}>
      <span className="tick">
        <BaseMenu.CheckboxItemIndicator>
          <Check className="s" />
        </BaseMenu.CheckboxItemIndicator>
      </span>
      <span className="trunc">{children}</span>
      {end && <span className="end">{end}</span>}
    </BaseMenu.CheckboxItem>
  );
}

export function MenuLine() {
  return <BaseMenu.Separator className="menu-sep" />;
}
