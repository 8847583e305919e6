import type { Blobs } from './blobs.ts'
import type { Asked } from './check-token.ts'
import type { Epochs } from './epochs.ts'
import type { Faults } from './faults.ts'

export interface Devnet {
  blobs: Blobs
  epochs: Epochs
  faults: Faults
  shards: number
  maxBodyBytes: number
  /** Null if no token is required. */
  checkToken: ((authorization: string | undefined, asked: Asked) => void) | null
}
