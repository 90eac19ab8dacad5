import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ReviewView } from "@/components/reviews/review-view";

export const metadata: Metadata = { title: "Review" };

export default async function ReviewPage({ params }: { params: Promise<{ slug: string; reviewName: string }> }) {
  const { slug, reviewName } = await params;
  await requireSession(`/w/${slug}/reviews/${reviewName}`);
  return <ReviewView name={decodeURIComponent(reviewName)} />;
}
