"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { readFeedAnew, toAppKey } from "@/components/apps/use-apps";
import { useOperation } from "@/components/apps/workbench/use-operation";
import type { Work } from "@/components/apps/workbench/use-work";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { useServerForm } from "@/components/ui/use-server-form";
import { appApi, type PublishConflict, type Resolutions, toConflicts } from "@/lib/features/apps/browser/client";
import { ApiError } from "@/lib/platform/browser/request";

type Unsettled = { mainSha: string | null; conflicts: PublishConflict[] };

/** Commits open changes, publishes the app, and follows the operation to its end. */
export function usePublish(work: Work) {
  const { app } = work;
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [phase, setPhase] = useState<"ask" | "work" | "done">("ask");
  const [following, setFollowing] = useState<string | null>(null);
  const [unsettled, setUnsettled] = useState<Unsettled | null>(null);
  const [resolutions, setResolutions] = useState<Resolutions>({});
  const [note, setNote] = useState<string | null>(null);
  const operation = useOperation(app.id, following);
  const stands = following === null ? null : (operation.data ?? null);
  const uncommitted = new Set([...(work.status.data?.drafts ?? []).map(({ path }) => path), ...work.texts.keys()]).size;

  const readAnew = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.slug) }),
      client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.id) }),
      readFeedAnew(client, workspace.id),
      work.readAnew(),
    ]);
  const server = useServerForm<{ message: string }>({
    initial: { message: "" },
    fields: ["message"],
    send: async ({ message }) => {
      const said = message.trim() === "" ? undefined : message.trim();
      setPhase("work");
      try {
        if (uncommitted > 0 && !(await work.commitOpen(said))) {
          setPhase("ask");
          return readAnew();
        }
        setFollowing("latest");
        const answer = await appApi.publish(workspace.id, app.id, {
          ...(said !== undefined && { message: said }),
          ...(unsettled !== null && { resolutions, ...(unsettled.mainSha !== null && { mainSha: unsettled.mainSha }) }),
        });
        setFollowing(answer.operationId);
        if ("sha" in answer) {
          setNote(answer.note);
          setPhase("done");
          announce(`${app.title} published`);
        }
      } catch (error) {
        setUnsettled(error instanceof ApiError && error.status === 409 ? toConflicts(error.details) : null);
        setResolutions({});
        const hasRun = error instanceof ApiError && error.status === 422;
        if (!hasRun) setFollowing(null);
        setPhase("ask");
        announce(`Couldn't publish ${app.title}`, true);
        // The message does not wait for it.
        void readAnew();
        throw error;
      }
      await readAnew();
    },
    whenClosed: `Couldn't publish ${app.title}.`,
  });
  // If the response comes before the end, the operation is followed to its end.
  const isDone = phase === "done" || (phase === "work" && stands?.state === "done");
  const hasFailed = phase === "work" && stands?.state === "failed" && following !== "latest";
  return {
    formProps: server.formProps,
    /** Properties of the field for release notes. */
    notes: server.text("message"),
    /** Steps of the operation; null before it has started. */
    operation: stands,
    /** Number of uncommitted files. */
    uncommitted,
    isDone,
    isWorking: phase === "work" && !isDone && !hasFailed,
    problem: server.failure ?? (hasFailed ? (stands.error?.message ?? "Publish failed.") : null),
    /** Note of the server about the published version. */
    note,
    /** Conflicts to resolve; null without any. */
    unsettled,
    resolutions,
    setResolutions,
    isSettled: unsettled === null || unsettled.conflicts.every(({ path }) => path in resolutions),
  };
}
