import type { Metadata } from "next";
import { requireSession } from "@/app/(workspace)/require-session";
import { ReviewList } from "@/components/reviews/review-list";

export const metadata: Metadata = { title: "Reviews" };

export default async function ReviewsPage({ params }: { params: Promise<{ slug: string }> }) {
  await requireSession(`/w/${(await params).slug}/reviews`);
  return <ReviewList />;
}
