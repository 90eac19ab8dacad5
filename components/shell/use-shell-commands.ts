"use client";

import {
  FileUp,
  Keyboard,
  LogOut,
  MessageSquare,
  Monitor,
  Moon,
  PanelLeft,
  Plus,
  Search,
  Sun,
  TextSearch,
  UserPlus,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { setAgentOpen, useIsAgentOpen } from "@/components/agent/use-agent-panel";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useNewDashboard } from "@/components/dashboards/use-dashboard-actions";
import { signOut } from "@/components/layout/sign-out";
import { updateFrame, useFrame } from "@/components/layout/use-frame";
import { useOffer } from "@/components/layout/use-offer";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Command } from "@/components/palette/command-store";
import { useFindDatabase } from "@/components/schema/use-schema";
import { AREAS } from "@/components/shell/areas";
import type { PaletteMode } from "@/lib/features/workspaces/browser/palette-items";

type ShellActions = { showPalette: (mode: PaletteMode) => void; showShortcuts: () => void; showTextSearch: () => void };

/** Registers the global commands, for the palette and the keys. */
export function useShellCommands({ showPalette, showShortcuts, showTextSearch }: ShellActions): void {
  const { workspace, agent } = useWorkspace();
  const { create } = useConsoleActions();
  const newDashboard = useNewDashboard();
  const { frame } = useFrame();
  const isAgentOpen = useIsAgentOpen();
  const router = useRouter();
  const database = useFindDatabase()(null);
  const root = `/w/${workspace.slug}`;
  const go = (path: string) => () => router.push(`${root}${path}`);
  const commands: Command[] = [
    { id: "palette", name: "Search or jump to…", icon: Search, run: () => showPalette("all") },
    {
      id: "find-all",
      name: "Search in consoles",
      icon: TextSearch,
      keys: "mod+shift+f",
      run: showTextSearch,
    },
    { id: "new-console", name: "New console", icon: Plus, keys: "c", run: () => create() },
    ...(database === null
      ? []
      : [{ id: "new-question", name: "New question", icon: Plus, run: go(`/questions/${database.id}`) }]),
    { id: "new-connection", name: "Add connection", icon: Plus, run: go("/connections/new") },
    { id: "import-file", name: "Import file", icon: FileUp, run: go("/connections/import") },
    { id: "new-flow", name: "New flow", icon: Plus, run: go("/flows/new") },
    { id: "new-metric", name: "New metric", icon: Plus, run: go("/metrics?new=1") },
    { id: "new-dashboard", name: "New dashboard", icon: Plus, run: () => void newDashboard() },
    { id: "new-app", name: "New app", icon: Plus, run: go("/apps?new=1") },
    ...AREAS.map(
      ({ name, icon, keys, path }): Command => ({ id: `go-${name}`, name: `Go to ${name}`, icon, keys, run: go(path) }),
    ),
    {
      id: "explorer",
      name: frame.explorerOpen ? "Hide explorer" : "Show explorer",
      icon: PanelLeft,
      keys: "mod+b",
      run: () => updateFrame({ explorerOpen: !frame.explorerOpen }),
    },
    {
      id: "agent",
      name: isAgentOpen ? "Hide agent" : "Ask agent",
      icon: MessageSquare,
      keys: "mod+j",
      run: () => (isAgentOpen ? setAgentOpen(false) : agent.open()),
    },
    { id: "light", name: "Light theme", icon: Sun, run: () => updateFrame({ theme: "light" }) },
    { id: "dark", name: "Dark theme", icon: Moon, run: () => updateFrame({ theme: "dark" }) },
    { id: "system", name: "System theme", icon: Monitor, run: () => updateFrame({ theme: "system" }) },
    { id: "shortcuts", name: "Keyboard shortcuts", icon: Keyboard, keys: "?", run: showShortcuts },
    { id: "sign-out", name: "Sign out", icon: LogOut, run: () => void signOut() },
  ];
  // Only owners and admins may invite.
  if (workspace.role !== "member") {
    commands.push({ id: "invite", name: "Invite members", icon: UserPlus, run: go("/settings/members") });
  }
  useOffer("shell", commands);
}
