export interface WalrusSettings {
  /** URLs of publishers. The next one is tried if one is unavailable, or rejects the blob for a reason of its own. */
  publishers: [string, ...string[]]
  /** URLs of aggregators, tried in the same way. With several, a cached or late response of one is harmless. */
  aggregators: [string, ...string[]]
  /**
   * Secret that signs the tokens for publishers (HS256), as text or as `0x` and hexadecimal digits. Undefined: the
   * publishers require no tokens.
   */
  jwtSecret?: string | undefined
  /** Lifetime of each token. Publishers that check the lifetime require exactly this value. */
  jwtSeconds: number
  /** How many epochs ahead a copy is stored. */
  epochs: number
  epochSeconds: number
  /** False: the owner of the object may delete the copy before it expires. */
  isPermanent: boolean
  /** Sui address that gets the objects; undefined: the publisher keeps them. */
  sendObjectTo?: string | undefined
  /** The largest body that the publishers accept. */
  maxBlobBytes: number
  /** Largest blob in bytes whose ID is also computed locally and compared; 0: never. Its bytes stay in memory meanwhile. */
  checkIdBytes: number
  /** How long aggregators can report a new blob as missing. */
  propagationSeconds: number
  shards: number
}
