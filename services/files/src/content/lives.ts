/** Of an upload in one call that ends in a crash; of one that may be repeated it is that of any upload. */
export const EXPIRY_SECONDS = 300
/** Longer than a PUT of ours may be under way. */
export const PUT_SECONDS = 60
