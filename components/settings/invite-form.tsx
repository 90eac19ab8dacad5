"use client";

import { X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ROLE_NAMES, toGivableRoles } from "@/components/settings/role-words";
import { useChange, useRights } from "@/components/settings/use-settings";
import { FieldProblem, FormFailure } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { toMessage } from "@/components/ui/to-message";
import { useServerForm } from "@/components/ui/use-server-form";
import type { CreatedInvite } from "@/lib/features/accounts/invites/schema";
import { completeStep } from "@/lib/features/consoles/browser/workbench";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import type { Member } from "@/lib/features/workspaces/schema";
import type { Role } from "@/lib/platform/access/roles";
import { findEmailProblem } from "@/lib/platform/browser/email-help";
import { parseEmails } from "@/lib/platform/browser/email-list";

type Outcome = { sent: CreatedInvite[]; failed: { email: string; message: string }[] };
type Fields = {
  /** Addresses shown as chips. */
  emails: string[];
  /** Text in the field that is not a chip yet. */
  typed: string;
  role: Role;
};

type InviteFormProps = { members: Member[]; onCreated: (invite: CreatedInvite) => void };

/** Invites several people at once. Addresses become chips; those that fail stay in the field with the reason. */
export function InviteForm({ members, onCreated }: InviteFormProps) {
  const id = useId();
  const { workspace, workbench } = useWorkspace();
  const { role: ownRole } = useRights();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const isMember = (email: string) => members.some((member) => member.email === email);
  const invite = useChange(["invites"], (body: { email: string; role: Role }) =>
    workspaceApi.createInvite(workspace.id, body),
  );
  const server = useServerForm<Fields>({
    initial: { emails: [], typed: "", role: "member" },
    fields: ["typed"],
    check: (fields) => ({ typed: findProblem(fields, isMember) }),
    send: async ({ emails, typed, role }, form) => {
      const all = [...new Set([...emails, ...parseEmails(typed).emails.filter((email) => !isMember(email))])];
      const next: Outcome = { sent: [], failed: [] };
      form.setValue("emails", all);
      form.setValue("typed", "");
      // One by one: each is a mail, and the first rejection often explains the rest.
      for (const email of all) {
        try {
          const created = await invite.mutateAsync({ email, role });
          next.sent.push(created);
          onCreated(created);
        } catch (error) {
          next.failed.push({ email, message: toMessage(error) });
        }
      }
      if (next.sent.length > 0) workbench.change((each) => completeStep(each, "invite"));
      // Addresses that were added during the request stay for the next one.
      const done = new Set(all.filter((email) => next.failed.every((each) => each.email !== email)));
      form.setValue(
        "emails",
        form.getValues("emails").filter((email) => !done.has(email)),
      );
      setOutcome(next);
      const said = toOutcomeText(next.sent);
      if (said !== "") announce(said);
    },
  });
  const { form, formProps, failure, isBusy, control } = server;
  const count = form.watch("emails").length;
  return (
    <form {...formProps} className="boxed invite" aria-label="Invite members">
      <FormFailure text={failure} />
      <EmailsField server={server} isMember={isMember} />
      <div className="field invite-role">
        <span className="flabel" id={`${id}-role`}>
          Role
        </span>
        <Select
          labelId={`${id}-role`}
          {...control("role")}
          options={toGivableRoles(ownRole).map((value) => ({ value, label: ROLE_NAMES[value] }))}
        />
      </div>
      <button type="submit" className="btn primary invite-send" disabled={isBusy}>
        {isBusy ? "Sending" : count > 1 ? `Send ${count} invites` : "Send invite"}
      </button>
      {outcome && !isBusy && <InviteOutcome outcome={outcome} />}
    </form>
  );
}

type EmailsFieldProps = {
  server: ReturnType<typeof useServerForm<Fields>>;
  isMember: (email: string) => boolean;
};

/** Field for addresses: a complete one becomes a chip. */
function EmailsField({ server: { form, problemOf }, isMember }: EmailsFieldProps) {
  const id = useId();
  const inputRef = useRef<HTMLInputElement>(null);
  const { emails, typed } = form.watch();
  const problem = problemOf("typed");
  const { setValue } = form;
  // A text that was typed before the page became interactive.
  useEffect(() => {
    if (inputRef.current?.value) setValue("typed", inputRef.current.value);
  }, [setValue]);
  const setEmails = (next: string[]) => form.setValue("emails", next);
  /** Moves complete addresses of a text into chips. Those of members stay in the field. */
  const take = (text: string) => {
    const { emails: found, rest } = parseEmails(text);
    setEmails([...new Set([...emails, ...found.filter((email) => !isMember(email))])]);
    form.setValue("typed", [...rest, ...found.filter(isMember)].join(" "));
    const message = findTypedProblem(text, isMember);
    if (message === undefined) form.clearErrors("typed");
    else form.setError("typed", { message });
  };
  return (
    <div className="field invite-to">
      <label htmlFor={`${id}-email`}>Invite by email</label>
      <div className={problem === undefined ? "input chips" : "input chips err"}>
        {emails.map((email) => (
          <span key={email} className="chip accent">
            <span className="trunc">{email}</span>
            <button
              type="button"
              aria-label={`Remove ${email}`}
              onClick={() => {
                setEmails(emails.filter((each) => each !== email));
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
          value={typed}
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={problem === undefined ? undefined : `${id}-problem`}
          onChange={({ target: { value } }) => {
            if (/[,;\s]$/.test(value) && value.trim() !== "") return take(value);
            form.clearErrors("typed");
            form.setValue("typed", value);
          }}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text");
            if (!/[,;\s]/.test(pasted.trim())) return;
            event.preventDefault();
            take(`${typed} ${pasted}`);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && typed.trim() !== "") {
              event.preventDefault();
              take(typed);
            }
            if (event.key === "Backspace" && typed === "") setEmails(emails.slice(0, -1));
          }}
          onBlur={() => typed.trim() !== "" && take(typed)}
        />
      </div>
      <FieldProblem id={`${id}-problem`} text={problem} />
    </div>
  );
}

/** Returns the problem of a text with addresses: its first part that is not an address, or that is a member's. */
function findTypedProblem(typed: string, isMember: (email: string) => boolean): string | undefined {
  const { emails, rest } = parseEmails(typed);
  if (rest[0] !== undefined) return findEmailProblem(rest[0]) ?? "Enter an email address such as ana@example.com.";
  const known = emails.find(isMember);
  return known === undefined ? undefined : `${known} is already a member.`;
}

function findProblem({ emails, typed }: Fields, isMember: (email: string) => boolean): string | undefined {
  const isEmpty = emails.length === 0 && typed.trim() === "";
  return isEmpty ? "Enter an email address." : findTypedProblem(typed, isMember);
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
