"use client";

import { ChevronLeft } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useIsPhone } from "@/components/ui/use-browser";
import "./settings.css";

type SettingsPageProps = { title: string; count?: number; actions?: ReactNode; children: ReactNode };

/** Layout of a settings page; on a phone with a link back to their list. */
export function SettingsPage({ title, count, actions, children }: SettingsPageProps) {
  const { workspace } = useWorkspace();
  const isPhone = useIsPhone();
  const back = (
    <Link href={`/w/${workspace.slug}/settings`} className="row back-link">
      <ChevronLeft className="s" />
      Settings
    </Link>
  );
  return (
    <Page title={title} count={count} actions={actions} trail={isPhone ? back : undefined}>
      {children}
    </Page>
  );
}
