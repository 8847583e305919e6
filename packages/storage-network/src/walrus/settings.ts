export interface WalrusSettings {
  /** Stores; the next one is tried when one does not answer, or says no for a reason of its own. */
  publishers: [string, ...string[]]
  /** Read; the same holds. Several make a cached or late answer of one harmless. */
  aggregators: [string, ...string[]]
  /**
   * Secret of the tokens that the publishers want (HS256), as text or `0x` and hexadecimal digits; undefined: they
   * want none.
   */
  jwtSecret?: string | undefined
  /** Life of each token, which a publisher that checks it wants to be exactly this. */
  jwtSeconds: number
  /** How many epochs ahead a copy is stored. */
  epochs: number
  epochSeconds: number
  /** False: the owner of the object may delete the copy before it expires. */
  isPermanent: boolean
  /** Sui address that gets the objects; undefined: the publisher keeps them. */
  sendObjectTo?: string | undefined
  /** The largest body that the publishers take. */
  maxBlobBytes: number
  /** Bytes up to which a blob id is computed here, too, and compared; 0: never. They are held in memory meanwhile. */
  checkIdBytes: number
  /** How long an aggregator may say of what was just stored that it is not there. */
  propagationSeconds: number
  shards: number
}
