import { describe, expect, it } from "vitest";
import { findChannelProblems, toChannelDraft, toChannelField, toChannelFields } from "./channel-draft";

const chat = { channelType: "chat", channel: { displayLabel: "#data", configured: true } } as const;
const url = "https://chat.example.com/in";

describe("the form of a stored channel", () => {
  it("shows public parts, and keeps its secret URL while empty", () => {
    const draft = toChannelDraft(chat);
    expect(draft).toEqual({ type: "chat", texts: { displayLabel: "#data" } });
    expect(findChannelProblems(draft, chat)).toEqual({});
    expect(toChannelFields(draft, chat)).toEqual({ channelType: "chat", displayLabel: "#data" });
  });

  it("sends an emptied name, with and without a new URL", () => {
    const texts = { displayLabel: " " };
    expect(toChannelFields({ type: "chat", texts }, chat)).toEqual({ channelType: "chat", displayLabel: "" });
    const moved = toChannelFields({ type: "chat", texts: { ...texts, chatWebhookUrl: `${url} ` } }, chat);
    expect(moved).toEqual({ channelType: "chat", displayLabel: "", chatWebhookUrl: url });
  });

  it("requires the URL of another channel, and keeps the name", () => {
    const draft = { ...toChannelDraft(chat), type: "teams" } as const;
    expect(findChannelProblems(draft, chat)).toEqual({ teamsWebhookUrl: "Enter the receiver's URL." });
    const typed = { ...draft, texts: { ...draft.texts, teamsWebhookUrl: url } };
    expect(toChannelFields(typed, chat)).toEqual({ channelType: "teams", displayLabel: "#data", teamsWebhookUrl: url });
  });
});

describe("the form of a new channel", () => {
  it("omits an empty optional field", () => {
    const draft = { type: "chat", texts: { chatWebhookUrl: url } } as const;
    expect(toChannelFields(draft, null)).toEqual({ channelType: "chat", chatWebhookUrl: url });
  });

  it("splits addresses, and names the first invalid one", () => {
    const draft = { type: "email", texts: { recipients: "Ana@example.com; jun@example.com" } } as const;
    expect(findChannelProblems(draft, null)).toEqual({});
    expect(toChannelFields(draft, null)).toEqual({
      channelType: "email",
      recipients: ["ana@example.com", "jun@example.com"],
    });
    expect(findChannelProblems({ type: "email", texts: { recipients: "nobody" } }, null).recipients).toContain("@");
    expect(findChannelProblems(toChannelDraft(null), null)).toHaveProperty("recipients");
  });
});

it("places problems at the fields of the chosen channel, those of list items at the list", () => {
  const draft = { type: "email", texts: {} } as const;
  expect(toChannelField("recipients.1", draft)).toBe("channel.texts.recipients");
  expect(toChannelField("url", draft)).toBeNull();
});
