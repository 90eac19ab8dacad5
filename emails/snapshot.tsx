import { Img, Section, Text } from "@react-email/components";
import { COLOURS, MailLayout } from "./layout";
import { Action, Paragraph, Title } from "./parts";

export type SnapshotMailProps = {
  title: string;
  when: string;
  /** Content id of the picture among the attachments; null without one. */
  pictureId: string | null;
  /** Whether the page is also attached as PDF. */
  hasPdf: boolean;
  widgets: { title: string; lines: string[] }[];
  href: string;
};

/** Mail with a dashboard's snapshot: its picture, and the same as text for readers without pictures. */
export function SnapshotMail({ title, when, pictureId, hasPdf, widgets, href }: SnapshotMailProps) {
  return (
    <MailLayout preview={`${title}, ${when}`} isWide>
      <Title>{title}</Title>
      <Paragraph quiet>{when}</Paragraph>
      {pictureId !== null && (
        <Img
          src={`cid:${pictureId}`}
          alt={`Snapshot of ${title}. The values are listed below.`}
          width="100%"
          style={{ border: `1px solid ${COLOURS.line}`, borderRadius: 6, margin: "0 0 16px", maxWidth: 880 }}
        />
      )}
      <Section style={{ margin: "0 0 16px" }}>
        {widgets.map(({ title: name, lines }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may be called alike
          <Section key={at} style={{ margin: "0 0 8px" }}>
            <Text style={{ ...LINE, color: COLOURS.ink, fontWeight: 600 }}>{name || "Number"}</Text>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no more than their place
              <Text key={index} style={{ ...LINE, color: COLOURS.quiet, wordBreak: "break-word" }}>
                {line}
              </Text>
            ))}
          </Section>
        ))}
      </Section>
      <Action href={href} label="Open dashboard" />
      {hasPdf && <Paragraph quiet>The dashboard is attached as a PDF.</Paragraph>}
      <Paragraph quiet>You receive this email because this dashboard is scheduled to be sent to you.</Paragraph>
    </MailLayout>
  );
}

const LINE = { fontSize: 13, lineHeight: "18px", margin: 0 };
