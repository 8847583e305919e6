/** Everything that may go wrong on request; where is in the words. */
export const faultNames = [
  // A publisher, before it takes the body.
  'publisher_overloaded',
  'publisher_cap',
  'publisher_out_of_funds',
  'publisher_token_used',
  'publisher_token_expired',
  'publisher_blocked',
  // While the body comes, or once it has come and nothing is stored.
  'publisher_breaks_off',
  'publisher_fails',
  'publisher_no_confirmations',
  'publisher_error_in_200',
  'publisher_marked_invalid',
  // Once the blob is stored.
  'publisher_fails_after',
  'publisher_no_confirmations_after',
  'publisher_breaks_off_after',
  'publisher_wrong_id',
  'publisher_wrong_shape',
  'publisher_hangs',
  // An aggregator.
  'aggregator_late',
  'aggregator_stale_cache',
  'aggregator_unavailable',
  'aggregator_fails',
  'aggregator_overloaded',
  'aggregator_too_large',
  'aggregator_blocked',
  'aggregator_page',
  'aggregator_hangs',
  'aggregator_flips',
  'aggregator_shortens',
  'aggregator_lengthens',
  'aggregator_breaks_off',
  'aggregator_slow',
  'aggregator_epoch_ends',
] as const

export type FaultName = (typeof faultNames)[number]

export interface FaultOptions {
  /** So often; until it is cleared when missing. */
  times?: number
  /** Only of this blob. */
  blobId?: string
}

export interface Faults {
  set(name: FaultName, options?: FaultOptions): void
  /** All of them when no name is given. */
  clear(name?: FaultName): void
  /** Whether it is to happen now, which counts as having happened. */
  happens(name: FaultName, blobId?: string): boolean
  list(): Record<string, FaultOptions>
}

export const isFaultName = (text: string): text is FaultName => faultNames.some((name) => name === text)

export function createFaults(): Faults {
  const set = new Map<FaultName, FaultOptions>()
  return {
    set: (name, options = {}) => void set.set(name, { ...options }),
    clear: (name) => void (name === undefined ? set.clear() : set.delete(name)),
    happens(name, blobId) {
      const fault = set.get(name)
      if (fault === undefined || (fault.blobId !== undefined && fault.blobId !== blobId)) return false
      if (fault.times === undefined) return true
      fault.times -= 1
      if (fault.times <= 0) set.delete(name)
      return true
    },
    list: () => Object.fromEntries(set),
  }
}
