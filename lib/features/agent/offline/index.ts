export { OFFLINE_MODEL_ID, offlineModel } from "./model";
