/** Words reserved by Amazon Redshift that people use as names ("Reserved words" in its documentation). */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    "aes128 aes256 allowoverwrite analyse analyze array authorization az64 backup binary blanksasnull both bytedict bzip2 " +
    "credentials current_user current_user_id deferrable deflate defrag delta delta32k disable emptyasnull enable encode " +
    "encrypt encryption explicit freeze globaldict256 globaldict64k gzip identity ignore initially language leading " +
    "localtime localtimestamp lun luns lzo lzop minus mostly16 mostly32 mostly8 new off offline offset oid old open " +
    "overlaps parallel partition percent permissions placing raw readratio recover rejectlog resort respect restore " +
    "session_user snapshot sysdate system tag tdes text255 text32k timestamp top trailing user verbose wallet"
  ).split(" "),
);
