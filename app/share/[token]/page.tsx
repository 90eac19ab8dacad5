import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { SharedApp } from "@/components/apps/view/shared-app";
import { ChartsAhead } from "@/components/dashboards/charts-ahead";
import { SharedDashboard } from "@/components/dashboards/shared-dashboard";
import { describeSharePage } from "@/lib/features/shares/shown";
import { env } from "@/lib/platform/env";

type PageProps = { params: Promise<{ token: string }> };

export async function generateMetadata({ params }: PageProps): Promise<Metadata> {
  const { token } = await params;
  const { title, description, hasPicture } = await readShown(token);
  const said = { title, ...(description !== "" && { description }) };
  const { publicUrl } = env();
  const path = encodeURIComponent(token);
  const images = hasPicture ? [{ url: `${publicUrl}/api/share/${path}/og-image`, type: "image/jpeg", alt: title }] : [];
  return {
    ...said,
    openGraph: { ...said, type: "website", siteName: "Millrace", url: `${publicUrl}/share/${path}`, images },
    twitter: { ...said, card: hasPicture ? "summary_large_image" : "summary", images },
    // Visible to anyone with the link, but not to search engines.
    robots: { index: false, follow: false },
    referrer: "no-referrer",
  };
}

export default async function SharePage({ params }: PageProps) {
  const { token } = await params;
  const { kind, title, description } = await readShown(token);
  const shown = { token, title, description };
  if (kind === "app") return <SharedApp {...shown} />;
  return (
    <>
      <ChartsAhead />
      <SharedDashboard {...shown} />
    </>
  );
}

/** Cached: the page and its head share one look-up. */
const readShown = cache(async (token: string) => (await describeSharePage(token)) ?? notFound());
