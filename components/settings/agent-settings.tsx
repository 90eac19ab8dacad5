"use client";

import { useQuery } from "@tanstack/react-query";
import { CircleCheck, MessageSquare, Shield } from "lucide-react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { WorkspaceInstructions } from "@/components/settings/instructions-form";
import { SettingsPage } from "@/components/settings/settings-page";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { agentApi } from "@/lib/features/agent/browser/client";

/** Instructions, models and permissions of the agent in this workspace. */
export function AgentSettings() {
  const { workspace, agent } = useWorkspace();
  const instructions = useQuery({
    queryKey: ["agent-instructions", workspace.id],
    queryFn: ({ signal }) => agentApi.readInstructions(workspace.id, signal),
  });
  return (
    <SettingsPage
      title="Agent"
      actions={
        <button type="button" className="btn" onClick={() => agent.open()}>
          <MessageSquare className="s" />
          Open chat
        </button>
      }
    >
      <p className="lead">Applies to everyone in {workspace.name}.</p>
      <Models />
      <section className="part" aria-labelledby="instructions">
        <div className="part-head between">
          <h2 id="instructions">Workspace instructions</h2>
          <span className="xs t3">Sent with every message</span>
        </div>
        {instructions.isPending && <ListSkeleton label="Loading instructions" rows={2} />}
        {instructions.isError && !instructions.data && (
          <LoadFailure error={instructions.error} onRetry={() => instructions.refetch()} />
        )}
        {instructions.data && <WorkspaceInstructions saved={instructions.data} />}
      </section>
      <section className="part" aria-labelledby="powers">
        <h2 id="powers">Permissions</h2>
        <ul className="powers">
          <Power title="Read schemas, consoles and flows" detail="With the asking member's permissions" />
          <Power title="Run read-only queries" detail="The model sees up to 200 rows" />
          <Power
            title="Save consoles, change flows and schedules"
            detail="After you approve a plan, for up to two hours"
            isAsked
          />
        </ul>
      </section>
    </SettingsPage>
  );
}

function Models() {
  const models = useQuery({ queryKey: ["agent-models"], queryFn: ({ signal }) => agentApi.listModels(signal) });
  const hasOthers = models.data?.some(({ id }) => !id.startsWith("millrace/")) ?? true;
  return (
    <section className="part first-part" aria-labelledby="models">
      <h2 id="models">Models</h2>
      {models.isPending && <ListSkeleton label="Loading models" rows={2} rowPx={44} />}
      {models.isError && !models.data && <LoadFailure error={models.error} onRetry={() => models.refetch()} />}
      {models.data && (
        <table className="list" aria-label="Models">
          <thead>
            <tr>
              <th>Model</th>
              <th>Provider</th>
              <th className="opt r">Context</th>
            </tr>
          </thead>
          <tbody>
            {models.data.map(({ id, name, provider, contextWindow, default: isDefault }) => (
              <tr key={id}>
                <td className="model">
                  {name} <span className="mono t3">{id}</span> {isDefault && <span className="tag">Default</span>}
                </td>
                <td>{provider}</td>
                <td className="opt r t2">
                  {contextWindow === undefined ? "" : `${Math.round(contextWindow / 1000)}K tokens`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {models.data && !hasOthers && (
        <Notice kind="info">
          Only the built-in assistant is available. It works offline. Server administrators can add models.
        </Notice>
      )}
      <p className="help-line xs t3">
        To add models, set <code className="mono">ANTHROPIC_API_KEY</code>, <code className="mono">OPENAI_API_KEY</code>
        , <code className="mono">GOOGLE_GENERATIVE_AI_API_KEY</code>, or{" "}
        <code className="mono">OPENAI_COMPATIBLE_BASE_URL</code> (self-hosted), then restart the server.{" "}
        <code className="mono">DEFAULT_MODEL</code> sets the default model.
      </p>
    </section>
  );
}

function Power({ title, detail, isAsked = false }: { title: string; detail: string; isAsked?: boolean }) {
  return (
    <li>
      {isAsked ? <Shield className="t3" /> : <CircleCheck className="may" />}
      <div>
        <div className="b5">{title}</div>
        <div className="xs t3">{detail}</div>
      </div>
    </li>
  );
}
