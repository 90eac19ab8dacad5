"use client";

import { LoadFailure } from "@/components/ui/load-failure";

/** What a list that is read page by page says of its next one. */
type Pages = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => unknown;
};
type LoadMoreProps = {
  pages: Pages;
  label?: string;
  /** What the button says while the page is on its way. */
  busyLabel?: string;
  /** How it looks in its list. */
  className: string;
};

/** The way to the next page of a list, and why it could not be read; nothing at the list's end. */
export function LoadMore({ pages, label = "Load more", busyLabel = "Loading", className }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = pages;
  return (
    <>
      {hasNextPage && (
        // Disabled it would lose the focus.
        <button
          type="button"
          className={className}
          aria-disabled={isFetchingNextPage}
          onClick={() => !isFetchingNextPage && void fetchNextPage()}
        >
          {isFetchingNextPage ? busyLabel : label}
        </button>
      )}
      {isFetchNextPageError && <LoadFailure error={error ?? new Error()} onRetry={() => void fetchNextPage()} />}
    </>
  );
}
