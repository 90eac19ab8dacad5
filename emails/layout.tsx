import { Body, Container, Head, Html, Preview, Section, Text } from "@react-email/components";
import type { ReactNode } from "react";

/** Light colours of design/tokens: mail programs do not support variables. */
export const COLOURS = {
  ink: "#11201E",
  quiet: "#596A66",
  frame: "#E9EEEC",
  sheet: "#FFFFFF",
  line: "#DEE5E2",
  accent: "#0B6A73",
  success: "#14693D",
  failure: "#A8242F",
};
const FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif";

type MailLayoutProps = {
  preview: string;
  /** For a picture with text to read. */
  isWide?: boolean;
  children: ReactNode;
};

/** Layout of all mails: one sheet with the name above it. `preview` is the line that inboxes show. */
export function MailLayout({ preview, isWide = false, children }: MailLayoutProps) {
  return (
    <Html lang="en">
      <Head />
      <Preview>{preview}</Preview>
      <Body style={{ backgroundColor: COLOURS.frame, fontFamily: FONT, margin: 0, padding: "32px 12px" }}>
        <Container style={{ maxWidth: isWide ? 930 : 520 }}>
          <Text style={{ color: COLOURS.accent, fontSize: 16, fontWeight: 600, margin: "0 0 12px" }}>Millrace</Text>
          <Section
            style={{
              backgroundColor: COLOURS.sheet,
              border: `1px solid ${COLOURS.line}`,
              borderRadius: 8,
              padding: 24,
            }}
          >
            {children}
          </Section>
        </Container>
      </Body>
    </Html>
  );
}
