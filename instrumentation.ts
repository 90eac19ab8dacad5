/** Called by the framework once for each server process; neither the edge runtime nor a build has anything to start. */
export async function register(): Promise<void> {
  // Written out, so that the bundler sees it and leaves Node's modules out of the edge bundle.
  if (process.env.NEXT_RUNTIME === "nodejs") {
    if (process.env.NEXT_PHASE === "phase-production-build") return;
    const { installInputMessages } = await import("@/lib/platform/api/input-messages");
    installInputMessages();
    // Here, since the runner's functions stand above all domains, which tell it what has happened.
    const { connectRunner } = await import("@/inngest/connect-runner");
    connectRunner();
    await import("@/lib/platform/http/page-failure");
    const { startUp } = await import("@/lib/features/instance/start-up");
    await startUp();
    // In development the framework replaces routes when their files change.
    if (process.env.NODE_ENV === "production") {
      const { answerRoutesDirectly } = await import("@/lib/platform/api/direct");
      const { DIRECT_ROUTES } = await import("@/app/api/direct-routes");
      answerRoutesDirectly(DIRECT_ROUTES);
    }
  }
}

/** Called by the framework with each error of a page. */
export async function onRequestError(error: unknown, _request: unknown, context: { routePath: string }): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { notePageFailure } = await import("@/lib/platform/http/page-failure");
    notePageFailure(error, context.routePath);
  }
}
