import "server-only";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/http/errors";
import { log } from "@/lib/platform/log";
import { safeFetch } from "@/lib/platform/net/safe-fetch";
import { streamThrough } from "@/lib/platform/net/stream-through";
import { serverMember } from "@/lib/platform/process/server-context";
import type { ModelsAnswer } from "./schema";

/** An available model. `open` loads its provider, so that unused providers cost nothing. */
export type Model = {
  id: string;
  name: string;
  provider: string;
  contextWindow?: number;
  /** Whether it runs on this server and is free. */
  isFree: boolean;
  open: () => Promise<LanguageModelV4>;
};

type Provider = {
  id: string;
  name: string;
  /** Null if its settings are missing. */
  open: ((model: string) => Promise<LanguageModelV4>) | null;
  models: readonly { id: string; name: string; contextWindow?: number }[];
};

/** The best models of each provider, the default one first; DEFAULT_MODEL adds any other. */
const KNOWN = {
  anthropic: [
    { id: "claude-sonnet-5-5", name: "Claude Sonnet 5.5" },
    { id: "claude-opus-5-5", name: "Claude Opus 5.5" },
    { id: "claude-haiku-5-5", name: "Claude Haiku 5.5" },
  ],
  openai: [
    { id: "gpt-6.1-sol", name: "GPT-6.1 Sol" },
    { id: "gpt-6.1-terra", name: "GPT-6.1 Terra" },
    { id: "gpt-5.4-mini", name: "GPT-5.4 mini" },
  ],
  google: [
    { id: "gemini-pro-latest", name: "Gemini Pro" },
    { id: "gemini-flash-latest", name: "Gemini Flash" },
  ],
} as const;

/** Cache duration, timeout and maximum size of the model list of a self-hosted server. */
const LIST_MS = 60_000;
const LIST_TIMEOUT_MS = 3000;
const LIST_BYTES_MAX = 1024 * 1024;
const LISTED_MAX = 200;

/** Lists all available models, ordered by provider; the default one is marked. */
export async function listModels(): Promise<ModelsAnswer> {
  const models = await allModels();
  const preferred = defaultOf(models);
  return {
    models: [...models.values()].map(({ id, name, provider, contextWindow }) => ({
      id,
      name,
      provider,
      default: id === preferred.id,
      ...(contextWindow !== undefined && { contextWindow }),
    })),
  };
}

/**
 * @param id default: the default model
 * @throws AppError `unknown_model` if no provider with a key has it
 */
export async function getModelOrThrow(id?: string): Promise<Model> {
  const models = await allModels();
  const model = id === undefined ? defaultOf(models) : models.get(id);
  if (model) return model;
  throw new AppError("unknown_model", "Unknown model. See GET /api/agent/models.", {
    details: [{ path: "modelId", message: "Unknown model." }],
  });
}

/** A map, so that names of built-in object properties are not models (T69). */
async function allModels(): Promise<ReadonlyMap<string, Model>> {
  const models = new Map<string, Model>();
  const { DEFAULT_MODEL } = env();
  for (const provider of await providers()) {
    const { open } = provider;
    if (!open) continue;
    const prefix = `${provider.id}/`;
    const wanted = DEFAULT_MODEL?.startsWith(prefix) ? DEFAULT_MODEL.slice(prefix.length) : null;
    const isListed = provider.models.some((each) => each.id === wanted);
    const listed = wanted !== null && !isListed ? [{ id: wanted, name: wanted }, ...provider.models] : provider.models;
    for (const { id, ...facts } of listed) {
      const full = prefix + id;
      models.set(full, { ...facts, id: full, provider: provider.name, isFree: false, open: () => open(id) });
    }
  }
  models.set(OFFLINE.id, OFFLINE);
  return models;
}

/** Needs no network and no key: always available, and the default if there is no other. */
const OFFLINE: Model = {
  id: "millrace/offline",
  name: "Offline assistant",
  provider: "Millrace",
  isFree: true,
  open: async () => (await import("./offline")).offlineModel(),
};

function defaultOf(models: ReadonlyMap<string, Model>): Model {
  return models.get(env().DEFAULT_MODEL ?? "") ?? models.values().next().value ?? OFFLINE;
}

async function providers(): Promise<Provider[]> {
  const settings = env();
  const { OPENAI_COMPATIBLE_BASE_URL: baseURL, OPENAI_COMPATIBLE_API_KEY: compatibleKey } = settings;
  return [
    {
      id: "anthropic",
      name: "Anthropic",
      models: KNOWN.anthropic,
      open: withKey(settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL, openAnthropic),
    },
    {
      id: "openai",
      name: "OpenAI",
      models: KNOWN.openai,
      open: withKey(settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL, openOpenAI),
    },
    {
      id: "google",
      name: "Google",
      models: KNOWN.google,
      open: withKey(settings.GOOGLE_GENERATIVE_AI_API_KEY, settings.GOOGLE_GENERATIVE_AI_BASE_URL, openGoogle),
    },
    {
      id: "compatible",
      name: "OpenAI-compatible",
      models: baseURL === undefined ? [] : await compatibleModels(baseURL, compatibleKey),
      open: baseURL === undefined ? null : (model) => openCompatible(baseURL, compatibleKey, model),
    },
  ];
}

type OpenWithKey = (
  options: { apiKey: string; baseURL: string; fetch: typeof fetch },
  model: string,
) => Promise<LanguageModelV4>;

/** Requests to providers go through the egress proxy like all others. */
function withKey(apiKey: string | undefined, baseURL: string, open: OpenWithKey): Provider["open"] {
  return apiKey === undefined ? null : (model) => open({ apiKey, baseURL, fetch: streamThrough("platform") }, model);
}

const openAnthropic: OpenWithKey = async (options, model) => {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  return createAnthropic(options)(model);
};
const openOpenAI: OpenWithKey = async (options, model) => {
  const { createOpenAI } = await import("@ai-sdk/openai");
  return createOpenAI(options)(model);
};
const openGoogle: OpenWithKey = async (options, model) => {
  const { createGoogle } = await import("@ai-sdk/google");
  return createGoogle(options)(model);
};

async function openCompatible(baseURL: string, apiKey: string | undefined, model: string): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    name: "compatible",
    baseURL,
    ...(apiKey !== undefined && { apiKey }),
    fetch: streamThrough("platform"),
    includeUsage: true,
  })(model);
}

export type Listed = { at: number; models: { id: string; name: string }[] };

const listedModels = serverMember("listedModels", () => ({ asked: null }));

/**
 * Returns the models that a self-hosted server lists. Empty while it is unreachable; DEFAULT_MODEL still names one
 * then.
 */
async function compatibleModels(baseURL: string, apiKey: string | undefined): Promise<Listed["models"]> {
  const known = listedModels();
  const last = await known.asked;
  if (!last || Date.now() - last.at > LIST_MS) known.asked = askForModels(baseURL, apiKey);
  return (await known.asked)?.models ?? [];
}

async function askForModels(baseURL: string, apiKey: string | undefined): Promise<Listed> {
  try {
    const { status, body } = await safeFetch(`${baseURL}/models`, {
      purpose: "platform",
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      timeoutMs: LIST_TIMEOUT_MS,
      maxResponseBytes: LIST_BYTES_MAX,
    });
    const answer = status === 200 ? (JSON.parse(body.toString("utf8")) as { data?: unknown }) : {};
    const ids = (Array.isArray(answer.data) ? answer.data : [])
      .map((each: { id?: unknown }) => each?.id)
      .filter((id): id is string => typeof id === "string" && id !== "" && id.length <= 200);
    return { at: Date.now(), models: ids.slice(0, LISTED_MAX).map((id) => ({ id, name: id })) };
  } catch (error) {
    log.warn({ err: error }, "the models of OPENAI_COMPATIBLE_BASE_URL could not be listed");
    return { at: Date.now(), models: [] };
  }
}
