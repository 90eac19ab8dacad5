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

/** The menu, initially open: the first click on its trigger mounts it. */
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

/** Position of a menu in the window, in CSS pixels. */
export type MenuPlace = { x: number; y: number };

type PlacedMenuProps = {
  /** Target of the menu, shown as its first line. */
  about: string;
  place: MenuPlace;
  isOpen: boolean;
  onClose: () => void;
  /** Called once the menu is hidden: its target may be removed. */
  onGone: () => void;
  /** Element that gets the focus when the menu closes. */
  back: HTMLElement | null;
  children: ReactNode;
};

/** A menu at a point instead of at a trigger: the target may be a cell or a row that is never focused. */
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
            // The browser's context menu has no use on ours.
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

/** An item that opens a submenu; there is never a third level. */
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

type ItemProps = {
  icon?: ReactNode;
  keys?: string;
  end?: ReactNode;
  /** Whether the menu stays open. */
  isKept?: boolean;
  onSelect: () => void;
  children: ReactNode;
};

export function MenuItem({ icon, keys, end, isKept = false, onSelect, children }: ItemProps) {
  return (
    <BaseMenu.Item className="menu-item" closeOnClick={!isKept} onClick={onSelect}>
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
  /** Whether the link stays in the workspace without a full page load. Other links load their page again. */
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

/** A choice among several: the selected one is ticked. */
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

/** A switch in a menu, which stays open for the next one. */
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
