"use client";

import { X } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ROLE_NAMES, toGivableRoles } from "@/components/settings/role-words";
import { useChange, useRights } from "@/components/settings/use-settings";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { toMessage } from "@/components/ui/to-message";
import { completeStep } from "@/lib/features/consoles/browser/workbench";
import { type CreatedInvite, type Member, type Role, workspaceApi } from "@/lib/features/workspaces/browser/client";
import { findEmailProblem } from "@/lib/platform/browser/email-help";
import { parseEmails } from "@/lib/platform/browser/email-list";

type Outcome = { sent: CreatedInvite[]; failed: { email: string; message: string }[] };

/** Invites several people at once. Addresses become chips; those that fail stay in the field with the reason. */
export function InviteForm({ members, onCreated }: { members: Member[]; onCreated: (invite: CreatedInvite) => void }) {
  const id = useId();
  const { workspace, workbench } = useWorkspace();
  const { role: ownRole } = useRights();
  const inputRef = useRef<HTMLInputElement>(null);
  const [emails, setEmails] = useState<string[]>([]);
  const [text, setText] = useState("");
  const [role, setRole] = useState<Role>("member");
  const [problem, setProblem] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const invite = useChange(["invites"], (email: string) => workspaceApi.createInvite(workspace.id, { email, role }));
  const isMember = (email: string) => members.some((member) => member.email === email);

  /** Moves the typed text into chips. @returns all addresses; null if some of the text is not an address */
  const takeTyped = (typed: string): string[] | null => {
    const { emails: found, rest } = parseEmails(typed);
    const known = found.find(isMember);
    const all = [...new Set([...emails, ...found.filter((email) => !isMember(email))])];
    setEmails(all);
    setText(rest.join(" "));
    if (rest[0] !== undefined)
      setProblem(findEmailProblem(rest[0]) ?? "Enter an email address such as ana@example.com.");
    else setProblem(known === undefined ? null : `${known} is already a member.`);
    return rest.length > 0 ? null : all;
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const all = takeTyped(text);
    if (all === null) return inputRef.current?.focus();
    if (all.length === 0) {
      setProblem((before) => before ?? "Enter an email address.");
      return inputRef.current?.focus();
    }
    const next: Outcome = { sent: [], failed: [] };
    // One by one: each is a mail, and the first rejection often explains the rest.
    for (const email of all) {
      try {
        const created = await invite.mutateAsync(email);
        next.sent.push(created);
        onCreated(created);
      } catch (error) {
        next.failed.push({ email, message: toMessage(error) });
      }
    }
    if (next.sent.length > 0) workbench.change((each) => completeStep(each, "invite"));
    // Addresses that were added during the request stay for the next one.
    const done = new Set(all.filter((email) => next.failed.every((each) => each.email !== email)));
    setEmails((before) => before.filter((email) => !done.has(email)));
    setOutcome(next);
    const said = toOutcomeText(next.sent);
    if (said !== "") announce(said);
  };

  return (
    <form className="boxed invite" onSubmit={submit} noValidate aria-label="Invite members">
      <div className="field invite-to">
        <label htmlFor={`${id}-email`}>Invite by email</label>
        <div className={problem === null ? "input chips" : "input chips err"}>
          {emails.map((email) => (
            <span key={email} className="chip accent">
              <span className="trunc">{email}</span>
              <button
                type="button"
                aria-label={`Remove ${email}`}
                onClick={() => {
                  setEmails((before) => before.filter((each) => each !== email));
                  inputRef.current?.focus();
                }}
              >
                <X className="xs" />
              </button>
            </span>
          ))}
          <input
            ref={inputRef}
            id={`${id}-email`}
            type="email"
            inputMode="email"
            multiple
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            placeholder={emails.length === 0 ? "ana@example.com" : "Add another address"}
            value={text}
            aria-invalid={problem === null ? undefined : true}
            aria-describedby={problem === null ? undefined : `${id}-problem`}
            onChange={(event) => {
              setProblem(null);
              if (/[,;\s]$/.test(event.target.value) && event.target.value.trim() !== "") takeTyped(event.target.value);
              else setText(event.target.value);
            }}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData("text");
              if (!/[,;\s]/.test(pasted.trim())) return;
              event.preventDefault();
              takeTyped(`${text} ${pasted}`);
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" && text.trim() !== "") {
                event.preventDefault();
                takeTyped(text);
              }
              if (event.key === "Backspace" && text === "") setEmails(emails.slice(0, -1));
            }}
            onBlur={() => text.trim() !== "" && takeTyped(text)}
          />
        </div>
        <div id={`${id}-problem`} className="help bad" aria-live="polite" hidden={problem === null}>
          {problem}
        </div>
      </div>
      <div className="field invite-role">
        <span className="flabel" id={`${id}-role`}>
          Role
        </span>
        <Select
          labelId={`${id}-role`}
          value={role}
          onChange={setRole}
          options={toGivableRoles(ownRole).map((value) => ({ value, label: ROLE_NAMES[value] }))}
        />
      </div>
      <button type="submit" className="btn primary invite-send" disabled={invite.isPending}>
        {invite.isPending ? "Sending" : emails.length > 1 ? `Send ${emails.length} invites` : "Send invite"}
      </button>
      {outcome && !invite.isPending && <InviteOutcome outcome={outcome} />}
    </form>
  );
}

function InviteOutcome({ outcome: { sent, failed } }: { outcome: Outcome }) {
  return (
    <div className="invite-outcome">
      {sent.length > 0 && (
        <Notice kind={sent.every(({ mail }) => mail === "sent") ? "good" : "warn"}>{toOutcomeText(sent)}</Notice>
      )}
      {failed.map(({ email, message }) => (
        <Notice key={email} kind="bad" role="alert">
          <b className="b6">{email}</b> was not invited. {message}
        </Notice>
      ))}
    </div>
  );
}

function toOutcomeText(sent: CreatedInvite[]): string {
  if (sent.length === 0) return "";
  const who = sent.length === 1 ? sent[0]?.email : `${sent.length} people`;
  if (sent.every(({ mail }) => mail === "sent")) return `Invited ${who}. The invitation email was sent.`;
  if (sent.some(({ mail }) => mail === "failed")) {
    return `Invited ${who}, but the email could not be sent. Copy the link below and share it.`;
  }
  return `Invited ${who}. Email is not configured. Copy the link below and share it.`;
}
