/** Faults that can be injected. The prefix names the component. */
export const faultNames = [
  // Publisher: before it reads the body.
  'publisher_overloaded',
  'publisher_cap',
  'publisher_out_of_funds',
  'publisher_token_used',
  'publisher_token_expired',
  'publisher_blocked',
  // Publisher: while it reads the body, or after the body but before it stores the blob.
  'publisher_breaks_off',
  'publisher_fails',
  'publisher_no_confirmations',
  'publisher_error_in_200',
  'publisher_marked_invalid',
  // Publisher: after it stored the blob.
  'publisher_fails_after',
  'publisher_no_confirmations_after',
  'publisher_breaks_off_after',
  'publisher_wrong_id',
  'publisher_wrong_shape',
  'publisher_hangs',
  // Aggregator.
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
  /** Number of occurrences. Without it, the fault occurs until it is cleared. */
  times?: number
  /** Limits the fault to this blob. */
  blobId?: string
}

export interface Faults {
  set(name: FaultName, options?: FaultOptions): void
  /** Clears all faults if no name is given. */
  clear(name?: FaultName): void
  /** Whether the fault occurs now. Counts as an occurrence. */
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
