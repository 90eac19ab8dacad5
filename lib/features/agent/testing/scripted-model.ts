import { afterAll } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { type ModelServer, startModelServer } from "./model-server";

/** Makes a model that says what the test lets it say the one that is asked, in a store of the file's own. Both end with the file. */
export async function takeScriptedModel(settings: Record<string, string> = {}): Promise<ModelServer> {
  const model = await startModelServer();
  Object.assign(process.env, {
    OPENAI_COMPATIBLE_BASE_URL: model.url,
    DEFAULT_MODEL: "compatible/scripted",
    RATE_LIMIT_SCALE: "100",
    ...settings,
  });
  const own = takeOwnDatabase();
  afterAll(async () => {
    await own.drop();
    await model.close();
  });
  return model;
}
