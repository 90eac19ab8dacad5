import { findEmailProblem } from "@/lib/platform/browser/email-help";
import { parseEmails } from "@/lib/platform/browser/email-list";
import type { ChannelField } from "./channel-view";

/** Field for several email addresses. */
export function emailsField(name: string): ChannelField {
  return {
    name,
    label: "Recipients",
    help: "Comma-separated, up to 50. Recipients can see each other.",
    placeholder: "ana@example.com, jun@example.com",
    inputMode: "email",
    isSecret: false,
    findProblem: (text) => {
      const { emails, rest } = parseEmails(text);
      const [wrong] = rest;
      if (wrong !== undefined) return findEmailProblem(wrong) ?? "Enter an email address such as ana@example.com.";
      return emails.length === 0 ? "Enter at least one email address." : null;
    },
    toValue: (text) => parseEmails(text).emails,
  };
}

/** Field for the address that messages are posted to. */
export function addressField(name: string, label: string, help: string): ChannelField {
  return {
    name,
    label,
    help,
    placeholder: "https://",
    inputMode: "url",
    isSecret: true,
    findProblem: (text) => (text.trim() === "" ? "Enter the receiver's URL." : null),
    toValue: (text) => text.trim(),
  };
}

/** Field for an optional name that lists show, since the address is secret. */
export function nameField(placeholder: string): ChannelField {
  return {
    name: "displayLabel",
    label: "Name",
    placeholder,
    inputMode: "text",
    isSecret: false,
    findProblem: () => null,
    toValue: (text) => text.trim(),
  };
}
