import type { ChannelDraft, Problems, SavedChannel } from "@/components/notifications/channel-draft";
import { CHANNEL_VIEWS, viewOf } from "@/components/notifications/channels/registry";
import { Segments } from "@/components/ui/segments";
import { TextField } from "@/components/ui/text-field";

const CHANNELS = CHANNEL_VIEWS.map(({ type, label }) => ({ value: type, label }));

type ChannelFieldsProps = {
  draft: ChannelDraft;
  /** The stored channel; null for a new one. */
  saved: SavedChannel | null;
  problems: Problems;
  readOnly?: boolean;
  onChange: (draft: ChannelDraft) => void;
};

/** Choice of a channel, and its fields. Stored addresses are never shown: an empty field keeps them. */
export function ChannelFields({ draft, saved, problems, readOnly = false, onChange }: ChannelFieldsProps) {
  const { type, texts } = draft;
  const view = viewOf(type);
  const kept = saved?.channelType === type ? saved : null;
  return (
    <>
      <div className="field">
        <span className="flabel">Channel</span>
        {readOnly ? (
          <div>{view.label}</div>
        ) : (
          <div>
            <Segments
              label="Channel"
              value={type}
              options={CHANNELS}
              onChange={(next) => onChange({ type: next, texts })}
            />
          </div>
        )}
      </div>
      {view.fields.map(({ name, label, help, placeholder, inputMode, isSecret }) => {
        const isKept = isSecret && kept !== null;
        return (
          <TextField
            key={name}
            label={label}
            value={texts[name] ?? ""}
            onChange={({ target }) => onChange({ type, texts: { ...texts, [name]: target.value } })}
            error={problems[name]}
            help={isKept ? `Saved: ${view.toSaved(kept.channel)}. Enter a new one to replace it.` : help}
            placeholder={isKept ? "" : placeholder}
            inputMode={inputMode}
            autoComplete="off"
            spellCheck={false}
            readOnly={readOnly}
            isDense
          />
        );
      })}
    </>
  );
}
