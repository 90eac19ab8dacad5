export { postUploadPack as POST } from "@/lib/features/repository/git/service";
