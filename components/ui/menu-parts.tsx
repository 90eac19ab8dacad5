"use client";

import { Menu as BaseMenu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
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

export function MenuLink({ href, children, end }: { href: string; children: ReactNode; end?: ReactNode }) {
  return (
    <BaseMenu.LinkItem className="menu-item" href={href} closeOnClick>
      <span className="trunc">{children}</span>
      {end && <span className="end">{end}</span>}
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
