import "server-only";
import { ObjectId } from "mongodb";
import { createElement } from "react";
import { RunEndedMail } from "@/emails/run-ended";
import { SnapshotMail } from "@/emails/snapshot";
import { sendOnce } from "@/lib/mail/service";
import { toFacts } from "../facts";
import { findPicture } from "../snapshots/picture";
import { stampOf, toSnapshotWords } from "../snapshots/words";
import type { Message, Send } from "./channel";

export type OpenEmail = { recipients: string[] };

/**
 * One mail to all recipients: one message either goes out or does not, while fifty could half go out and would then be
 * sent again to those who have it. Where no mail service is set up, the outbox is the receiver.
 */
export const sendEmail: Send<OpenEmail> = async ({ recipients }, message) => {
  const { workspaceId, webhookId, deliveryId } = message;
  const mail = { to: recipients, grants: null, privateTo: message.privateTo, ...(await contentOf(message)) };
  const { error } = await sendOnce(workspaceId, mail, { key: webhookId, mailId: deliveryId ?? new ObjectId() });
  return { httpStatus: null, error, snippet: null };
};

const PICTURE_NAME = "dashboard";

async function contentOf({ payload, isTest, workspaceId, pictureId }: Message) {
  if (payload.event === "dashboard.snapshot") {
    const png = pictureId && (await findPicture(workspaceId, pictureId));
    const content = createElement(SnapshotMail, {
      title: payload.dashboardTitle,
      when: stampOf(payload),
      pictureId: png ? PICTURE_NAME : null,
      widgets: toSnapshotWords(payload),
      href: payload.deepLink,
    });
    const pictures = png ? [{ name: PICTURE_NAME, png }] : [];
    return { subject: payload.dashboardTitle, content, pictures };
  }
  const facts = toFacts(payload, isTest);
  const content = createElement(RunEndedMail, { facts, runId: payload.runId, href: payload.deepLink });
  return { subject: facts.headline, content };
}
