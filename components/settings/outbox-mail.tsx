"use client";

import { useState } from "react";
import { MailState } from "@/components/settings/mail-state";
import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { formatStamp } from "@/lib/platform/browser/format-time";
import type { OutboxEntry } from "@/lib/platform/mail/schema";
import { WITHHELD_MAIL_TEXT } from "@/lib/platform/mail/words";

type View = "text" | "html";
const VIEWS: { value: View; label: string }[] = [
  { value: "html", label: "As sent" },
  { value: "text", label: "Text" },
];

type OutboxMailProps = { mail: OutboxEntry | null; isMissing: boolean; onClose: () => void };

/**
 * One mail: as its reader sees it, or as plain text, or the reason why the user may not read it. The preview runs no
 * code and opens no links.
 */
export function OutboxMail({ mail, isMissing, onClose }: OutboxMailProps) {
  return (
    <Modal title={mail?.subject ?? "Email"} isOpen={mail !== null || isMissing} onClose={onClose}>
      {mail === null ? (
        <Notice kind="info">Email not found. Load more to find older emails; they are deleted after 30 days.</Notice>
      ) : (
        <div className="mail">
          <dl className="kv">
            <dt>To</dt>
            <dd>{mail.to.join(", ")}</dd>
            <dt>Created</dt>
            <dd>{formatStamp(new Date(mail.createdAt))}</dd>
            <dt>Status</dt>
            <dd>
              <MailState status={mail.status} />
            </dd>
          </dl>
          {mail.status === "failed" && (
            <Notice kind="bad">
              The email service rejected it. Check SMTP_URL or RESEND_API_KEY and MAIL_FROM, or send it yourself.
            </Notice>
          )}
          {mail.text === WITHHELD_MAIL_TEXT ? <Notice kind="locked">{mail.text}</Notice> : <MailBody mail={mail} />}
        </div>
      )}
    </Modal>
  );
}

function MailBody({ mail }: { mail: OutboxEntry }) {
  const [view, setView] = useState<View>("html");
  return (
    <>
      <div className="row">
        <Segments label="Email view" value={view} options={VIEWS} onChange={setView} />
        <span className="grow" />
        <CopyButton text={mail.text} label="Copy text" className="btn ghost sm" />
      </div>
      {view === "html" ? (
        <iframe className="mail-page" title={`${mail.subject}, as sent`} sandbox="" srcDoc={mail.html} />
      ) : (
        <CodeBox label="Email text" className="mail-text">
          {mail.text}
        </CodeBox>
      )}
    </>
  );
}
