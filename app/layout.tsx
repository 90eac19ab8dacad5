import type { Metadata, Viewport } from "next";
import { headers } from "next/headers";
import type { ReactNode } from "react";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Millrace", template: "%s - Millrace" },
  description: "A data workspace for teams",
  icons: { icon: "/icon.svg" },
};

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#0F2F31" },
    { media: "(prefers-color-scheme: dark)", color: "#071011" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  // Set by the proxy that writes the content security policy; absent without one.
  const nonce = (await headers()).get("x-nonce") ?? undefined;
  return (
    <html lang="en" data-theme="light" suppressHydrationWarning>
      <head>
        {/* Blocking on purpose: the theme must be set before the first paint. */}
        <script src="/boot.js" nonce={nonce} />
      </head>
      <body>{children}</body>
    </html>
  );
}
