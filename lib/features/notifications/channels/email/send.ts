import "server-only";
import { ObjectId } from "mongodb";
import { createElement } from "react";
import { RunEndedMail } from "@/emails/run-ended";
import { SnapshotMail } from "@/emails/snapshot";
import type { MailFile } from "@/lib/platform/mail/model";
import { sendOnce } from "@/lib/platform/mail/service";
import { toFacts } from "../../facts";
import { findSnapshotFiles } from "../../snapshots/picture";
import { stampOf, toSnapshotWords } from "../../snapshots/words";
import type { Message, Send } from "../channel";

export type OpenEmail = { recipients: string[] };

/**
 * Sends one email to all recipients: it is either sent or not. Of fifty separate ones half could be sent, and a retry
 * would send them again. Without a mail service the outbox is the receiver.
 */
export const sendEmail: Send<OpenEmail> = async ({ recipients }, message) => {
  const { workspaceId, webhookId, deliveryId } = message;
  const mail = { to: recipients, grants: null, privateTo: message.privateTo, ...(await contentOf(message)) };
  const { error } = await sendOnce(workspaceId, mail, { key: webhookId, mailId: deliveryId ?? new ObjectId() });
  return { httpStatus: null, error, snippet: null };
};

const PICTURE_ID = "dashboard";

async function contentOf({ payload, isTest, workspaceId, pictureId }: Message) {
  if (payload.event === "dashboard.snapshot") {
    const { png, pdf } = (pictureId && (await findSnapshotFiles(workspaceId, pictureId))) || { png: null, pdf: null };
    const content = createElement(SnapshotMail, {
      title: payload.dashboardTitle,
      when: stampOf(payload),
      pictureId: png === null ? null : PICTURE_ID,
      hasPdf: pdf !== null,
      widgets: toSnapshotWords(payload),
      href: payload.deepLink,
    });
    const files: MailFile[] = [
      ...(png ? [{ filename: "dashboard.png", contentType: "image/png", contentId: PICTURE_ID, bytes: png }] : []),
      ...(pdf ? [{ filename: "dashboard.pdf", contentType: "application/pdf", bytes: pdf }] : []),
    ];
    return { subject: payload.dashboardTitle, content, files };
  }
  const facts = toFacts(payload, isTest);
  const content = createElement(RunEndedMail, { facts, runId: payload.runId, href: payload.deepLink });
  return { subject: facts.headline, content };
}
