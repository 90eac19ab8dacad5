export { postUploadPack as POST } from "@/lib/git/service";
