import type { ReactNode } from "react";
import { MenuItem } from "@/components/ui/menu";

/** An action that a menu or a row of buttons offers. */
export type MenuAction = { label: string; icon: ReactNode; run: () => void };

export function MenuActions({ actions }: { actions: readonly MenuAction[] }) {
  return actions.map(({ label, icon, run }) => (
    <MenuItem key={label} icon={icon} onSelect={run}>
      {label}
    </MenuItem>
  ));
}
