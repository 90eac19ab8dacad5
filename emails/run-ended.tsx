import { Column, Row, Section, Text } from "@react-email/components";
import { COLOURS, MailLayout } from "./layout";
import { Action, Paragraph, Title } from "./parts";

export type RunEndedMailProps = {
  facts: {
    headline: string;
    isFailure: boolean;
    action: string;
    rows: { label: string; value: string }[];
    error: string | null;
  };
  runId: string;
  href: string;
};

const LABEL_WIDTH = 128;
/** Longest error text that a mail program shows without cutting the mail. The run's page shows all of it. */
const ERROR_CHARS_MAX = 4_000;

/** Mail about a finished run: its facts, its error message, and a link to the run. */
export function RunEndedMail({ facts, runId, href }: RunEndedMailProps) {
  const { headline, isFailure, action, rows, error } = facts;
  return (
    <MailLayout preview={error ?? headline}>
      <Text
        style={{
          color: isFailure ? COLOURS.failure : COLOURS.success,
          fontSize: 12,
          fontWeight: 600,
          lineHeight: "16px",
          margin: "0 0 4px",
        }}
      >
        {isFailure ? "✗ Failed" : "✓ Succeeded"}
      </Text>
      <Title>{headline}</Title>
      <Section style={{ margin: "0 0 16px" }}>
        {rows.map(({ label, value }) => (
          <Row key={label}>
            <Column style={{ verticalAlign: "top", width: LABEL_WIDTH }}>
              <Text style={{ ...LINE, color: COLOURS.quiet }}>{label}</Text>
            </Column>
            <Column style={{ verticalAlign: "top" }}>
              <Text style={{ ...LINE, color: COLOURS.ink, wordBreak: "break-word" }}>{value}</Text>
            </Column>
          </Row>
        ))}
      </Section>
      {error !== null && (
        <Section
          style={{
            backgroundColor: COLOURS.frame,
            border: `1px solid ${COLOURS.line}`,
            borderRadius: 5,
            margin: "0 0 16px",
            padding: "8px 12px",
          }}
        >
          <Text
            style={{
              color: COLOURS.failure,
              fontFamily: "ui-monospace, Menlo, Consolas, monospace",
              fontSize: 12,
              lineHeight: "18px",
              margin: 0,
              whiteSpace: "pre-wrap",
              wordBreak: "break-word",
            }}
          >
            {error.length > ERROR_CHARS_MAX ? `${error.slice(0, ERROR_CHARS_MAX).toWellFormed()} …` : error}
          </Text>
        </Section>
      )}
      <Action href={href} label={action} />
      <Paragraph
        quiet
      >{`Run ${runId}. You receive this email because a notification rule lists your address.`}</Paragraph>
    </MailLayout>
  );
}

const LINE = { fontSize: 14, lineHeight: "20px", margin: "0 0 2px" };
