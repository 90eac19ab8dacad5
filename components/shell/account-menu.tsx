"use client";

import { Keyboard, LogOut, Monitor, Moon, Settings2, Sun, User } from "lucide-react";
import { signOut } from "@/components/layout/sign-out";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { findArea } from "@/components/shell/areas";
import { Menu, MenuChoice, MenuItem, MenuLine, MenuLink } from "@/components/ui/menu";
import { Mark } from "@/components/ui/person";
import type { Theme } from "@/lib/features/accounts/browser/frame-preferences";

const THEME_OPTIONS: { value: Theme; label: string; icon: React.ReactNode }[] = [
  { value: "light", label: "Light", icon: <Sun /> },
  { value: "dark", label: "Dark", icon: <Moon /> },
  { value: "system", label: "System", icon: <Monitor /> },
];

/** The signed-in user, links to their pages, the theme, and the sign-out. */
export function AccountMenu({ onShowShortcuts }: { onShowShortcuts: () => void }) {
  const { user, workspace } = useWorkspace();
  const { frame, update } = useFrame();
  const name = user.name || user.email;
  const settings = `/w/${workspace.slug}/settings`;
  return (
    <Menu
      side="right"
      align="end"
      trigger={
        <button type="button" className="rail-me" aria-label={`Account: ${name}`}>
          <Mark id={user.id} name={name} />
        </button>
      }
    >
      <div className="menu-who">
        <div className="b6 trunc">{name}</div>
        {user.name && <div className="xs t3 trunc">{user.email}</div>}
      </div>
      <MenuLine />
      <MenuLink icon={<User />} href={`${settings}/profile`} isNear>
        Profile
      </MenuLink>
      <MenuLink icon={<Settings2 />} href={settings} keys={findArea("/settings").keys} isNear>
        Settings
      </MenuLink>
      <MenuItem icon={<Keyboard />} keys="?" onSelect={onShowShortcuts}>
        Shortcuts
      </MenuItem>
      <MenuLine />
      <MenuChoice label="Theme" value={frame.theme} onChange={(theme) => update({ theme })} options={THEME_OPTIONS} />
      <MenuLine />
      <MenuItem icon={<LogOut />} onSelect={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
