import "server-only";
import { ObjectId } from "mongodb";
import { createElement } from "react";
import { RunEndedMail } from "@/emails/run-ended";
import { SnapshotMail } from "@/emails/snapshot";
import type { MailFile } from "@/lib/platform/mail/model";
import { sendOnce } from "@/lib/platform/mail/service";
import { toFacts } from "../../facts";
import { stampOf, toSnapshotWords } from "../../snapshots/words";
import type { Message, Send } from "../channel";

/**
 * Sends one email to all recipients: it is either sent or not. Of fifty separate ones half could be sent, and a retry
 * would send them again. Without a mail service the outbox is the receiver.
 */
export const send: Send<{ recipients: string[] }> = async ({ recipients }, message) => {
  const { workspaceId, webhookId, deliveryId } = message;
  const mail = { to: recipients, grants: null, privateTo: await message.findOwner(), ...(await contentOf(message)) };
  const { error } = await sendOnce(workspaceId, mail, { key: webhookId, mailId: deliveryId ?? new ObjectId() });
  return { httpStatus: null, error, snippet: null };
};

const PICTURE_ID = "dashboard";

async function contentOf({ payload, isTest, findFiles }: Message) {
  if (payload.event === "dashboard.snapshot") {
    const { png, pdf } = (await findFiles()) ?? { png: null, pdf: null };
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
