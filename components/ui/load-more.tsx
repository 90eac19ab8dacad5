"use client";

import { LoadFailure } from "@/components/ui/load-failure";

/** State of a paged list's next page. */
export type Pages = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => unknown;
};
type LoadMoreProps = {
  pages: Pages;
  label?: string;
  /** Label of the button while the page loads. */
  busyLabel?: string;
  /** Class that fits the list. */
  className: string;
};

/** Button for the next page of a list, or the reason why it could not be loaded; nothing at the list's end. */
export function LoadMore({ pages, label = "Load more", busyLabel = "Loading", className }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage } = pages;
  return (
    <>
      {hasNextPage && (
        // A disabled button would lose the focus.
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
