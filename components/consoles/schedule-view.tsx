"use client";

import { CalendarClock } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { RunHistory } from "@/components/consoles/run-history";
import { SavedView } from "@/components/consoles/saved-view";
import { ScheduleCard } from "@/components/consoles/schedule-card";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { useResourceNotifications } from "@/components/notifications/use-resource-notifications";
import type { Console } from "@/lib/features/consoles/schema";
import "./schedule.css";

/** Page of a console's schedule: times, past runs and notifications. */
export function ScheduleView({ open }: { open: OpenConsole }) {
  return (
    <SavedView open={open} title="Schedule" icon={<CalendarClock />} unsaved="Save this console to schedule it.">
      {(saved) => <Parts saved={saved} hasEdits={open.draft !== null} />}
    </SavedView>
  );
}

function Parts({ saved, hasEdits }: { saved: Console; hasEdits: boolean }) {
  const { openSchedule } = useConsoleActions();
  const runId = useSearchParams().get("run");
  const told = useResourceNotifications({ resourceType: "scheduled_query", resourceId: saved.id });
  return (
    <div className="panel-host schedule-host">
      <div className="panel-main schedule-page">
        <div className="schedule-grid">
          <div className="schedule-side">
            <ScheduleCard saved={saved} hasEdits={hasEdits} onStarted={(id) => openSchedule(saved.id, id)} />
            {told.rules}
          </div>
          <div className="schedule-main">
            <RunHistory consoleId={saved.id} openId={runId} onOpen={(id) => openSchedule(saved.id, id)} />
            {told.deliveries}
          </div>
        </div>
      </div>
      {told.panel}
    </div>
  );
}
