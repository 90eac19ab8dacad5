import "server-only";
import type { Send } from "../channel";
import { postJson } from "../post";
import { toRunCard, toSnapshotCard } from "./card";

/** Connectors of Office 365 answer 200 and have the refusal of Teams in their text, such as 413 or 429. */
const REFUSED_WITHIN = /Microsoft Teams endpoint returned HTTP error (\d{3})/;

/** Posts a card to the workflow of a Teams channel. */
export const send: Send<{ url: string }> = ({ url }, { payload, isTest }, line) => {
  const card = payload.event === "dashboard.snapshot" ? toSnapshotCard(payload) : toRunCard(payload, isTest);
  const refusedWithin = (text: string) => {
    const [, status] = REFUSED_WITHIN.exec(text) ?? [];
    return status === undefined ? null : Number(status);
  };
  return postJson({ url, body: JSON.stringify(card), headers: {}, secrets: [], refusedWithin }, line);
};
