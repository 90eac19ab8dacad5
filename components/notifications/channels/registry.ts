import type { ChannelType } from "@/lib/features/notifications/channels/registry";
import type { ChannelView } from "./channel-view";
import { chat } from "./chat";
import { email } from "./email";
import { teams } from "./teams";
import { webhook } from "./webhook";

/** Every channel, in the order in which forms offer them. */
const VIEWS: { readonly [Type in ChannelType]: ChannelView<Type> } = { email, webhook, chat, teams };

/** A view of any type. The channel that it gets must be of its type. */
export type AnyView = ChannelView<ChannelType>;
export const CHANNEL_VIEWS: readonly AnyView[] = Object.values(VIEWS);
/** Channel of a new rule or snapshot until another one is chosen. */
export const DEFAULT_CHANNEL: ChannelType = email.type;

export function viewOf(type: ChannelType): AnyView {
  return VIEWS[type];
}
