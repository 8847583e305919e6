import type { Readable } from 'node:stream'

/** Bytes `start` to `end`, both inclusive, already clamped to the blob: `0 <= start <= end < size`. */
export interface ByteRange {
  start: number
  end: number
}

/** The data that finds a copy. The row of the copy stores it. */
export interface CopyName {
  /** The content's id in the network. */
  blobId: string
  /** 1 to 128 letters, digits, `-`, `_`. Names one copy of one file, and is never reused. */
  reference: string
  /**
   * The data that the driver returned when the copy was stored (`StagedBlob.ref`, `Committed.ref`). Opaque to all other
   * code.
   */
  ref: Record<string, string>
}

/**
 * What the network reports about one copy without reading its bytes. `present`: everything that reads need exists. A
 * copy of another size than was stored is damaged. `expiresAt` null: kept until removed.
 */
export type ReferenceState = { state: 'present'; sizeBytes: number; expiresAt: Date | null } | { state: 'absent' }

/** A copy in a listing. */
export interface Reference {
  blobId: string
  reference: string
  sizeBytes: number
  storedAt: Date
}

/** A fault outside a copy's bytes: in the `tree` that proves each block, or in the `length` of the copy. */
export const mends = ['tree', 'length'] as const
export type Mended = (typeof mends)[number]

/**
 * The result of reading one copy completely. `mended`: the repairs in place, if any; the bytes were intact. `absent`:
 * the network reported that the copy does not exist. `mismatch`: the network returned other bytes than expected, or
 * bytes that do not match the blob ID.
 */
export type Proof =
  | { ok: true; expiresAt: Date | null; mended?: readonly Mended[] }
  | { ok: false; reason: 'absent' | 'mismatch' }

/** A copy that was committed or renewed. */
export interface Committed {
  /** Null: kept until removed. */
  expiresAt: Date | null
  /** New data to remember, if the driver now knows more than at the time of staging, such as versions. */
  ref?: Record<string, string>
}

/**
 * The result of removing a copy: `released`, or the network keeps the copy until `expiresAt` and refuses to remove it
 * sooner.
 */
export type Removal = { outcome: 'released' } | { outcome: 'expires'; expiresAt: Date | null }

/** Bytes in the network without a reference yet. Disposal discards them unless they were committed. */
export interface StagedBlob extends AsyncDisposable {
  /** The content's ID in the network: equal bytes have equal IDs. */
  readonly blobId: string
  /** Lowercase hexadecimal digest of all bytes. */
  readonly sha256: string
  readonly sizeBytes: number
  /** Data to remember in addition to blob ID and reference (`CopyName.ref`); opaque to callers. */
  readonly ref: Record<string, string>
  /**
   * Makes the bytes durable under their reference, and replaces an existing copy. After success, further calls change
   * nothing.
   * @throws NetworkError `staged_lost` when the staged bytes no longer exist, `no_space`, `copy_failed`, `unreachable`
   */
  commit(): Promise<Committed>
  /** Deletes the staged bytes. Does nothing after a commit or a discard. */
  discard(): Promise<void>
}

/** Space on the network's volume. Below `reserveBytes` of free space, nothing more is stored. */
export interface NetworkSpace {
  freeBytes: number
  totalBytes: number
  reserveBytes: number
}

/**
 * A content-addressed network that keeps one copy per reference. Removing one never affects another copy of the same
 * bytes.
 *
 * Every method throws `NetworkError`. `unreachable`: also when the place is not this installation's; no method then
 * reports anything about copies. `refused`: for an invalid reference. An aborted signal rejects the call with the
 * abort.
 */
export interface StorageNetwork {
  /** The network's name within the installation, such as `disk-a`. */
  readonly name: string
  readonly driver: 'embedded' | 's3' | 'ipfs' | 'walrus'
  readonly maxBlobBytes: number
  /**
   * `expires`: copies expire, or others can remove them, unless they are renewed. `removes`: removal frees a copy
   * immediately instead of when it expires.
   */
  readonly caps: { readonly expires: boolean; readonly removes: boolean }

  /** The blob ID of these bytes, if their SHA-256 (lowercase hexadecimal) determines it; otherwise null. */
  blobIdOf(content: { sha256: string; sizeBytes: number }): string | null

  /**
   * What the network bills for a copy of this size: everything that is kept for it, and at least the network's minimum.
   * Computed without a request.
   */
  billedBytes(sizeBytes: number): number

  /** When a copy that is stored now expires, unless it is renewed. Null: it is kept until removed. */
  leaseEnd(): Date | null

  /**
   * Takes the bytes in one pass, with constant memory. Always consumes or destroys the body, whose errors pass through
   * unchanged. With `sizeBytes`, a network without space for the bytes rejects before it takes any.
   * @throws NetworkError `too_large`, `no_space`, `copy_failed`, `unreachable`
   */
  stage(
    body: AsyncIterable<Uint8Array>,
    options: { reference: string; sizeBytes?: number; signal: AbortSignal },
  ): Promise<StagedBlob>

  /**
   * Opens a copy or a range of it. A complete copy name reads only that copy. A blob ID reads any copy that verifies.
   * Every byte is verified before it is returned, in pieces of at most 128 KiB. A copy that turns out to be damaged
   * destroys the stream with `integrity`. The signal also applies to the stream.
   * @throws NetworkError `not_found`, `integrity`, `restoring`, `copy_failed`, `unreachable`; `refused` for a range
   * outside the blob
   */
  open(
    copy: CopyName | { blobId: string },
    options: { range?: ByteRange | undefined; signal: AbortSignal },
  ): Promise<Readable>

  /** A cheap check of one copy. @throws NetworkError `unreachable`, `copy_failed` */
  stat(copy: CopyName, signal: AbortSignal): Promise<ReferenceState>

  /**
   * Every existing copy, in no order. Can take a long time. For operators: no service lists copies.
   * @throws NetworkError `unreachable`, `copy_failed`; the listing is then incomplete and proves no absence
   */
  references(signal: AbortSignal): AsyncIterable<Reference>

  /**
   * Reads one copy completely, from its storage and from no cache, and compares it with the expected facts. Intact
   * bytes are proved only if every reader can open the copy: other faults are repaired.
   * @throws NetworkError `restoring`, `unreachable`, `copy_failed`, `no_space`, which prove nothing either way
   */
  prove(copy: CopyName, expected: { sha256: string; sizeBytes: number }, signal: AbortSignal): Promise<Proof>

  /**
   * Extends a copy's life. Where copies do not expire, only checks that the copy exists. Can take as long as storing
   * it.
   * @throws NetworkError `not_found`, `copy_failed`, `unreachable`
   */
  renew(copy: CopyName, signal: AbortSignal): Promise<Committed>

  /**
   * Removes one copy, and checks nothing else. Succeeds for an absent copy.
   * @throws NetworkError `copy_failed`, `unreachable`
   */
  remove(copy: CopyName, signal: AbortSignal): Promise<Removal>

  /**
   * Tests the network. `toStore`: also checks that there is space for more copies.
   * @throws NetworkError `unreachable` when it cannot work now
   */
  health(signal: AbortSignal, needs?: { toStore: boolean }): Promise<void>

  /** Null: the network has no limited space to report. @throws NetworkError `unreachable` */
  space(signal: AbortSignal): Promise<NetworkSpace | null>
}
