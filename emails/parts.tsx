import { Button, Heading, Link, Text } from "@react-email/components";
import { COLOURS } from "./layout";

export function Title({ children }: { children: string }) {
  return (
    <Heading
      as="h1"
      style={{ color: COLOURS.ink, fontSize: 20, fontWeight: 600, lineHeight: "28px", margin: "0 0 12px" }}
    >
      {children}
    </Heading>
  );
}

export function Paragraph({ children, quiet = false }: { children: React.ReactNode; quiet?: boolean }) {
  return (
    <Text
      style={{
        color: quiet ? COLOURS.quiet : COLOURS.ink,
        fontSize: quiet ? 12 : 14,
        lineHeight: "20px",
        margin: "0 0 16px",
      }}
    >
      {children}
    </Text>
  );
}

/**
 * A button with its address as text below: some mail programs show no buttons, and readers check where a link leads.
 */
export function Action({ href, label }: { href: string; label: string }) {
  return (
    <>
      <Button
        href={href}
        style={{
          backgroundColor: COLOURS.accent,
          borderRadius: 5,
          color: "#FFFFFF",
          fontSize: 14,
          fontWeight: 500,
          padding: "10px 16px",
        }}
      >
        {label}
      </Button>
      <Text style={{ fontSize: 12, lineHeight: "16px", margin: "12px 0 16px", wordBreak: "break-all" }}>
        <Link href={href} style={{ color: COLOURS.accent }}>
          {href}
        </Link>
      </Text>
    </>
  );
}
