/** Bounds the tree that a reader holds to about 34 MB. */
export const MAX_BLOB_BYTES = 1024 ** 4
