import "server-only";
import { ObjectId } from "mongodb";
import { createElement } from "react";
import { RunEndedMail } from "@/emails/run-ended";
import { sendOnce } from "@/lib/mail/service";
import { toFacts } from "../facts";
import type { Send } from "./channel";

export type OpenEmail = { recipients: string[] };

/**
 * One mail to all recipients: one message either goes out or does not, while fifty could half go out and would then be
 * sent again to those who have it. Where no mail service is set up, the outbox is the receiver.
 */
export const sendEmail: Send<OpenEmail> = async ({ recipients }, message) => {
  const { payload, isTest, workspaceId, webhookId, deliveryId, privateTo } = message;
  const facts = toFacts(payload, isTest);
  const content = createElement(RunEndedMail, { facts, runId: payload.runId, href: payload.deepLink });
  const mail = { to: recipients, subject: facts.headline, content, grants: null, privateTo };
  const { error } = await sendOnce(workspaceId, mail, { key: webhookId, mailId: deliveryId ?? new ObjectId() });
  return { httpStatus: null, error, snippet: null };
};
