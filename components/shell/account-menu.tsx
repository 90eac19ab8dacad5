"use client";

import { LogOut, Monitor, Moon, Sun } from "lucide-react";
import { Menu, MenuChoice, MenuItem, MenuLine } from "@/components/ui/menu";
import { signOut } from "@/components/workspace/sign-out";
import { useFrame } from "@/components/workspace/use-frame";
import { useWorkspace } from "@/components/workspace/workspace-context";
import { toInitials } from "@/lib/ui/format";
import type { Theme } from "@/lib/ui/frame-preferences";

const THEME_OPTIONS: { value: Theme; label: string; icon: React.ReactNode }[] = [
  { value: "light", label: "Light", icon: <Sun /> },
  { value: "dark", label: "Dark", icon: <Moon /> },
  { value: "system", label: "As the system", icon: <Monitor /> },
];

/** Who is signed in, the theme, and the way out. */
export function AccountMenu() {
  const { user } = useWorkspace();
  const { frame, update } = useFrame();
  const name = user.name || user.email;
  return (
    <Menu
      side="right"
      align="end"
      trigger={
        <button type="button" className="rail-me" aria-label={`Account of ${name}`}>
          <span className="ava" data-initials={toInitials(name)} />
        </button>
      }
    >
      <div className="menu-who">
        <div className="b6 trunc">{name}</div>
        {user.name && <div className="xs t3 trunc">{user.email}</div>}
      </div>
      <MenuLine />
      <MenuChoice label="Theme" value={frame.theme} onChange={(theme) => update({ theme })} options={THEME_OPTIONS} />
      <MenuLine />
      <MenuItem icon={<LogOut />} onSelect={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
