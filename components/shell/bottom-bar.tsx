"use client";

import { Dialog } from "@base-ui/react/dialog";
import { Check, LogOut, Menu as MenuIcon, MessageSquare, Monitor, Moon, Sun, User } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { signOut } from "@/components/layout/sign-out";
import { useFrame } from "@/components/layout/use-frame";
import { useWorkspace } from "@/components/layout/workspace-context";
import { AREAS } from "@/components/shell/areas";
import { Mark } from "@/components/ui/person";
import type { Theme } from "@/lib/features/accounts/browser/frame-preferences";

const THEMES: { value: Theme; label: string; icon: typeof Sun }[] = [
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
  { value: "system", label: "System", icon: Monitor },
];

/** Navigation on a phone: the areas, and everything else under More. */
export function BottomBar() {
  const { workspace } = useWorkspace();
  const [isOpen, setIsOpen] = useState(false);
  const root = `/w/${workspace.slug}`;
  const path = usePathname().slice(root.length);
  return (
    <nav className="mnav" aria-label="Workspace">
      {AREAS.filter(({ isOnPhoneBar }) => isOnPhoneBar).map(({ name, icon: Icon, path: start, owns }) => (
        <Link
          key={name}
          href={`${root}${start}`}
          className={owns(path) ? "on" : undefined}
          aria-current={owns(path) ? "true" : undefined}
        >
          <Icon className="l" />
          <span>{name}</span>
        </Link>
      ))}
      <button
        type="button"
        className={AREAS.some(({ isOnPhoneBar, owns }) => !isOnPhoneBar && owns(path)) ? "on" : undefined}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(true)}
      >
        <MenuIcon className="l" />
        <span>More</span>
      </button>
      <MoreSheet root={root} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </nav>
  );
}

function MoreSheet({ root, isOpen, onClose }: { root: string; isOpen: boolean; onClose: () => void }) {
  const { user, agent } = useWorkspace();
  const { frame, update } = useFrame();
  const name = user.name || user.email;
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="sheet">
          <div className="row" style={{ padding: "8px 12px 12px" }}>
            <Mark id={user.id} name={name} />
            <div className="grow">
              <Dialog.Title className="b6 trunc">{name}</Dialog.Title>
              <div className="xs t3 trunc">{user.email}</div>
            </div>
          </div>
          <ul className="sheet-set">
            <li>
              <button
                type="button"
                className="sheet-item"
                onClick={() => {
                  onClose();
                  agent.open();
                }}
              >
                <MessageSquare className="l" />
                Agent
              </button>
            </li>
            {AREAS.filter(({ isOnPhoneBar }) => !isOnPhoneBar).map(({ name: area, icon: Icon, path: start }) => (
              <li key={area}>
                <Link className="sheet-item" href={`${root}${start}`} onClick={onClose}>
                  <Icon className="l" />
                  {area}
                </Link>
              </li>
            ))}
            <li>
              <Link className="sheet-item" href={`${root}/settings/profile`} onClick={onClose}>
                <User className="l" />
                Profile
              </Link>
            </li>
          </ul>
          <fieldset className="sheet-set">
            <legend className="menu-label">Theme</legend>
            {THEMES.map(({ value, label, icon: Icon }) => (
              <button
                key={value}
                type="button"
                className="sheet-item"
                aria-pressed={frame.theme === value}
                onClick={() => update({ theme: value })}
              >
                <Icon className="l" />
                <span className="grow">{label}</span>
                {frame.theme === value && <Check className="l" />}
              </button>
            ))}
          </fieldset>
          <button type="button" className="sheet-item" onClick={signOut}>
            <LogOut className="l" />
            Sign out
          </button>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
