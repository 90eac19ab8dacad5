import { ApiError } from "@/lib/platform/browser/request";

/**
 * Starts a sign-in by a provider. next-auth's response is outside of the envelope.
 * @param next a path of this site, to come back to
 * @returns the provider's address to go to
 * @throws ApiError if the provider is not set up, or the server does not respond
 */
export async function signInWith(provider: string, next: string): Promise<string> {
  try {
    const { csrfToken } = await read<{ csrfToken: string }>(await fetch("/api/auth/csrf", { cache: "no-store" }));
    const { url } = await read<{ url: string }>(
      await fetch(`/api/auth/signin/${provider}`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", "x-auth-return-redirect": "1" },
        body: new URLSearchParams({ csrfToken, callbackUrl: next }),
      }),
    );
    return url;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw ApiError.unreachable();
  }
}

async function read<T>(response: Response): Promise<T> {
  if (!response.ok) {
    throw new ApiError(response.status, "provider", "This sign-in method is not working. Use your email.");
  }
  return (await response.json()) as T;
}
