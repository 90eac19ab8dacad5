import {
  Bell,
  Command,
  KeyRound,
  type LucideIcon,
  Mail,
  MessageSquare,
  Monitor,
  Plug,
  Settings2,
  Sun,
  User,
  Users,
} from "lucide-react";

/**
 * Pages of the settings: the explorer is rendered from this list. A new page needs an entry here and its page.tsx under
 * /w/{slug}/settings/{path}.
 */
export type Section = { name: string; icon: LucideIcon; path: string };
export const SECTION_GROUPS: { name: string; sections: Section[] }[] = [
  {
    name: "Workspace",
    sections: [
      { name: "General", icon: Settings2, path: "general" },
      { name: "Members", icon: Users, path: "members" },
      { name: "API keys", icon: KeyRound, path: "api-keys" },
      { name: "Connected apps", icon: Plug, path: "connected-apps" },
      { name: "Notifications", icon: Bell, path: "notifications" },
      { name: "Agent", icon: MessageSquare, path: "agent" },
      { name: "Outbox", icon: Mail, path: "outbox" },
    ],
  },
  {
    name: "Account",
    sections: [
      { name: "Profile", icon: User, path: "profile" },
      { name: "Appearance", icon: Sun, path: "appearance" },
      { name: "Keyboard", icon: Command, path: "keyboard" },
      { name: "Sessions", icon: Monitor, path: "sessions" },
    ],
  },
];
