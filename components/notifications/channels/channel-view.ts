import type { LucideIcon } from "lucide-react";
import type { ChannelType, ShownOf } from "@/lib/features/notifications/channels/registry";

/** A text field of a channel's form. */
export type ChannelField = {
  /** Field of the request. It is also the path of its errors. */
  name: string;
  label: string;
  help?: string;
  placeholder: string;
  inputMode: "text" | "email" | "url";
  /** The stored value is never shown. An empty field keeps it. */
  isSecret: boolean;
  /** Returns the problem of a typed text; null for none. */
  findProblem: (text: string) => string | null;
  /** Returns the value of a typed text in a request. */
  toValue: (text: string) => string | string[];
};

/** A channel as the browser shows it. `registry.ts` lists one for each channel of the server. */
export type ChannelView<Type extends ChannelType> = {
  type: Type;
  label: string;
  Icon: LucideIcon;
  fields: readonly ChannelField[];
  /** Returns the texts of the fields that show their stored value, by name. */
  toTexts(channel: ShownOf<Type>): Record<string, string>;
  /** Returns a short but unambiguous name of the destination; null to use the label. */
  toName(channel: ShownOf<Type>): string | null;
  /** Returns a line below the name. */
  toHelp(channel: ShownOf<Type>): string;
  /** Returns the public part of a stored secret. */
  toSaved(channel: ShownOf<Type>): string;
  /** It signs its messages with a secret that can be rotated. */
  isSigned: boolean;
  /** Help below a test that was accepted. */
  acceptedHelp: string | null;
  /** Returns advice for a delivery that was not accepted; null if the general one for its HTTP status is enough. */
  toAdvice: (httpStatus: number | null) => string | null;
};
