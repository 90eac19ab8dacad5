import type { AsyncLocalStorage } from "node:async_hooks";
import type { Document, MongoClient } from "mongodb";
import type { RateLimiterMemory, RateLimiterMongo } from "rate-limiter-flexible";
import type { Agent } from "undici";
import type { Coalescer } from "@/lib/base/async/coalescer";
import type { Entity } from "@/lib/base/values/fields";
import type { AppUses } from "@/lib/features/accounts/connected-apps/uses";
import type { HeldRights } from "@/lib/features/accounts/held-rights";
import type { RecentLookUps } from "@/lib/features/accounts/recent-look-ups";
import type { FindsInvitation } from "@/lib/features/accounts/sign-up";
import type { Listed } from "@/lib/features/agent/models";
import type { CachedFacts } from "@/lib/features/apps/feed/facts";
import type { Previews } from "@/lib/features/apps/sandbox/registry";
import type { Availability } from "@/lib/features/apps/sandbox/sandbox";
import type { GrammarThreads } from "@/lib/features/connections/drivers/postgres/grammar";
import type { CheckAnswer, CheckRequest } from "@/lib/features/connections/drivers/shared/statements/checks";
import type { DataSourcePool } from "@/lib/features/connections/pool";
import type { ItemKind } from "@/lib/features/folders/item-kind";
import type { DeliveryEvents } from "@/lib/features/notifications/events";
import type { Pace } from "@/lib/features/notifications/pace";
import type { Places } from "@/lib/features/query/admission";
import type { Executions } from "@/lib/features/query/executions";
import type { HistoryBuffer } from "@/lib/features/query/history-writer";
import type { ManualSessions } from "@/lib/features/query/manual-sessions";
import type { ParquetThread } from "@/lib/features/query/serialize/parquet-thread";
import type { FileKind, PushLanding } from "@/lib/features/repository/git/pushed-files";
import type { CommitListener } from "@/lib/features/repository/main-index";
import type { Tables } from "@/lib/features/results/crossfilter/tables";
import type { FirstRowsBuffer } from "@/lib/features/results/first-rows";
import type { Publisher } from "@/lib/features/reviews/compare";
import type { FollowDeletion } from "@/lib/features/runs/deletion";
import type { Shared } from "@/lib/features/shares/model";
import type { ShareResponses } from "@/lib/features/shares/responses";
import type { FindShown } from "@/lib/features/shares/shown";
import type { BeginWorkspace } from "@/lib/features/workspaces/beginning";
import type { RateLimit } from "@/lib/platform/access/rate-limit";
import type { Changes } from "@/lib/platform/db/changes";
import type { Connection } from "@/lib/platform/db/client";
import type { Preparation } from "@/lib/platform/db/ready";
import type { HashingAnswer, HashingRequest } from "@/lib/platform/embedded/hashing/messages";
import type { ParserEngine } from "@/lib/platform/engines/parser";
import type { PictureProcess } from "@/lib/platform/engines/pictures/process";
import type { LeasedEngine } from "@/lib/platform/engines/service";
import type { EngineSlot } from "@/lib/platform/engines/shared-file";
import type { Teller } from "@/lib/platform/events/event-feed";
import type { EventBuffer } from "@/lib/platform/events/publish";
import type { DirectRoute } from "@/lib/platform/http/direct";
import type { PageRequest } from "@/lib/platform/http/page-status";
import type { RunnerKeys } from "@/lib/platform/jobs/runner";
import type { LogContext } from "@/lib/platform/log/context";
import type { Metrics } from "@/lib/platform/metrics/metrics";
import type { Purpose } from "@/lib/platform/net/address";
import type { OwnEndpoints } from "@/lib/platform/net/own-endpoints";
import type { SocksDoor } from "@/lib/platform/net/socks";
import type { ChildName } from "@/lib/platform/process/entries";
import type { SendJobEvents } from "@/lib/platform/process/job-events";
import type { LimitedThreads } from "@/lib/platform/process/limited-threads";
import type { RequestPacer } from "@/lib/platform/process/request-pacer";
import type { Semaphore } from "@/lib/platform/process/semaphore";
import type { Service } from "@/lib/platform/process/service";
import type { SharedResource } from "@/lib/platform/process/shared-resource";
import type { ShutdownState } from "@/lib/platform/process/shutdown";
import type { ThreadPool } from "@/lib/platform/process/thread-pool";
import type { Secrets } from "@/lib/platform/secrets/bootstrap";
import type { SealedFields } from "@/lib/platform/secrets/sealed-fields";
import type { Heartbeat } from "@/lib/platform/work/heartbeat";
import type { HealthPart, WatchedPart } from "./health";

declare module "@/lib/platform/process/server-context" {
  /** Index of the members: the compiler refuses a second member of a name, and a name that is not here. */
  interface ServerContext {
    // Process
    directRoutes: DirectRoute[];
    pageRequests: AsyncLocalStorage<PageRequest>;
    eventLoopTurns: (() => void)[];
    healthParts: Record<HealthPart, WatchedPart>;
    logContext: AsyncLocalStorage<LogContext>;
    metrics: Metrics;
    requestPreparation: { isDone: boolean };
    secrets: { secrets: Secrets | null };
    services: Map<string, Service>;
    shutdown: ShutdownState;

    // Document store
    coalescedWork: Coalescer<void>;
    database: Connection;
    databasePreparation: Preparation;
    keyedLocks: Map<string, Semaphore>;
    sealedFields: Map<string, SealedFields>;
    storeChanges: Changes;

    // Requests and identity
    bodyPacer: RequestPacer;
    hashingQueue: Semaphore;
    hashingThreads: ThreadPool<HashingRequest, HashingAnswer>;
    heldBodies: { bytes: number };
    heldRights: HeldRights;
    identityLookUps: Coalescer<Document[]>;
    localRateLimiters: Map<RateLimit, RateLimiterMemory>;
    rateLimiters: WeakMap<MongoClient, Map<string, RateLimiterMongo>>;
    recentIdentities: RecentLookUps<Document>;

    // Jobs and events
    connectedAppUses: AppUses;
    eventBuffer: EventBuffer;
    eventFeed: Teller;
    eventListeners: Set<() => void>;
    eventStreams: Map<string, number>;
    heartbeat: Heartbeat;
    jobEvents: { send: SendJobEvents | null };
    jobListener: { url: string | null };
    jobRunnerKeys: RunnerKeys;

    // Outbound connections
    egressAgents: Map<Purpose, Agent>;
    openAnswers: { count: number };
    ownEndpoints: OwnEndpoints;
    socksProxy: { door: Promise<SocksDoor> | null };

    // Engines and drawing
    engineSandbox: { isThere: boolean };
    fileEngines: Map<string, LeasedEngine>;
    pictureProcesses: Map<ChildName, PictureProcess>;
    pictureSandbox: { isThere: boolean };
    sharedEngines: Map<string, SharedResource<EngineSlot[]>>;

    // Connections and queries
    dataSources: DataSourcePool;
    entityReadings: Coalescer<Entity[]>;
    executions: Executions;
    manualSessions: ManualSessions;
    parquetThread: ParquetThread;
    parserEngine: ParserEngine;
    postgresGrammar: GrammarThreads;
    queryAdmission: Map<string, Places>;
    largeAnswers: Map<string, Semaphore>;
    queryHistory: HistoryBuffer;
    importReaders: Semaphore;
    importSweep: { at: number };
    importUploads: Map<string, number>;
    importWork: Set<{ folder: string; stop: AbortController }>;
    sampleBuilds: Coalescer<void>;
    sourceRates: Map<string, number>;
    statementThreads: LimitedThreads<CheckRequest, CheckAnswer>;

    // Results and shares
    crossfilterTables: { tables: Promise<Tables> | null };
    firstRows: FirstRowsBuffer;
    shareResponses: ShareResponses;
    uncountedResultBytes: Map<string, number>;

    // Consoles, repositories, notifications, agent
    consoleEditors: Map<string, number>;
    deliveryEvents: DeliveryEvents;
    gitPacks: Semaphore;
    gitPushes: Semaphore;
    listedModels: { asked: Promise<Listed> | null };
    repositorySyncs: Semaphore;
    sendPace: Pace;

    // Apps
    appBuilderPackages: string[];
    appBuilds: Semaphore;
    appDataStreams: Semaphore;
    appFeedFacts: Map<string, CachedFacts>;
    appPreviewPictures: Map<string, Buffer>;
    appPreviews: Previews;
    appSandbox: Availability;
    appSandboxLibraries: string[];
    carriedPackages: { folder: Promise<string> };

    // Hooks that features register for those below them
    fileKinds: { kinds: readonly FileKind[] };
    itemKinds: ItemKind[];
    invitationLookUp: { find: FindsInvitation | null };
    pushLanding: { landing: PushLanding | null };
    commitListeners: Set<CommitListener>;
    publishedComparisons: { publisher: Publisher | null };
    runDeletion: { follow: FollowDeletion | null };
    shownFinders: { finders: Record<Shared["kind"], FindShown> | null };
    workspaceBeginning: { begin: BeginWorkspace | null };
  }
}
