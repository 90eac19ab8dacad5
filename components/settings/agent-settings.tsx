"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleCheck, MessageSquare, Shield } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { SettingsPage } from "@/components/settings/settings-page";
import { useMemberNames, useRights } from "@/components/settings/use-settings";
import { LeaveQuestion } from "@/components/ui/leave-question";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { agentApi, type Instructions } from "@/lib/features/agent/browser/client";

/** The server's schema decides. */
const CHARS_MAX = 8000;

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
        {instructions.data && <InstructionsForm saved={instructions.data} />}
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

function InstructionsForm({ saved }: { saved: Instructions }) {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  const queryClient = useQueryClient();
  const names = useMemberNames();
  /** The text that editing started from, and the text known to be stored. */
  const [base, setBase] = useState(saved.text);
  const [known, setKnown] = useState(saved.text);
  const [text, setText] = useState(saved.text);
  const begin = (from: string) => {
    setBase(from);
    setText(from);
  };
  const isDirty = text !== base;
  if (saved.text !== known) {
    setKnown(saved.text);
    if (!isDirty) begin(saved.text);
  }
  const [isSaving, setIsSaving] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsSaving(true);
    setFailure(null);
    try {
      const next = await agentApi.writeInstructions(workspace.id, text);
      setBase(next.text);
      setText((typed) => (typed === text ? next.text : typed));
      queryClient.setQueryData(["agent-instructions", workspace.id], next);
      announce("Instructions saved");
    } catch (error) {
      setFailure(toMessage(error));
    } finally {
      setIsSaving(false);
    }
  };
  const last = saved.updatedAt === null ? "" : `Last saved ${toDay(saved.updatedAt)}${toAuthor(saved, names)}`;
  if (!isAdmin) {
    return (
      <>
        <Notice kind="locked">Only owners and admins can edit the instructions.</Notice>
        <p className="instructions-text">{saved.text || "No instructions yet."}</p>
        <p className="xs t3">{last}</p>
      </>
    );
  }
  return (
    <form onSubmit={submit}>
      {failure && (
        <Notice kind="bad" role="alert">
          {failure}
        </Notice>
      )}
      {isDirty && !isSaving && saved.text !== base && (
        <Notice
          kind="warn"
          action={
            <button type="button" className="btn sm" onClick={() => begin(saved.text)}>
              Load their version
            </button>
          }
        >
          {(saved.updatedBy !== null && names.get(saved.updatedBy)) || "Someone"} saved a newer version. Saving
          overwrites it.
        </Notice>
      )}
      <textarea
        className="instructions"
        aria-label="Workspace instructions"
        aria-describedby="instructions-count"
        rows={8}
        maxLength={CHARS_MAX}
        placeholder="Weeks start on Monday. Revenue excludes test orders. Never show email addresses."
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="row instructions-foot">
        <span className="xs t3 grow" id="instructions-count">
          {text.length.toLocaleString("en")} of {CHARS_MAX.toLocaleString("en")} characters{last && `. ${last}`}
        </span>
        {isDirty && (
          <button type="button" className="btn ghost" disabled={isSaving} onClick={() => begin(saved.text)}>
            Discard
          </button>
        )}
        <button type="submit" className="btn primary" disabled={!isDirty || isSaving}>
          {isSaving ? "Saving" : "Save instructions"}
        </button>
      </div>
      <LeaveQuestion title="Leave without saving?" isOn={isDirty} onDiscard={null}>
        Your changes to the instructions are not saved.
      </LeaveQuestion>
    </form>
  );
}

function toDay(text: string): string {
  return new Date(text).toLocaleDateString("en", { day: "numeric", month: "short" });
}

function toAuthor({ updatedBy }: Instructions, names: ReadonlyMap<string, string>): string {
  const name = updatedBy === null ? undefined : names.get(updatedBy);
  return name === undefined ? "" : ` by ${name}`;
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
