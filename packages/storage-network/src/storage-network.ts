import type { Readable } from 'node:stream'

/** Bytes `start` to `end`, both inclusive, already clamped to the blob: `0 <= start <= end < size`. */
export interface ByteRange {
  start: number
  end: number
}

/** What a copy is found by: what the row that names it remembers. */
export interface CopyName {
  /** The content's id in the network. */
  blobId: string
  /** 1 to 128 letters, digits, `-`, `_`; names one copy of one file, and is never used twice. */
  reference: string
  /**
   * What the driver asked to remember when it was stored (`StagedBlob.ref`, `Committed.ref`); opaque to everybody
   * else.
   */
  ref: Record<string, string>
}

/**
 * What the network says of one copy, without reading its bytes: `present` when all is there that it is read by. One of
 * another size than was stored is damaged. `expiresAt` null = kept until removed.
 */
export type ReferenceState = { state: 'present'; sizeBytes: number; expiresAt: Date | null } | { state: 'absent' }

/** A copy as a listing shows it. */
export interface Reference {
  blobId: string
  reference: string
  sizeBytes: number
  storedAt: Date
}

/** A fault other than in a copy's bytes: in the `tree` that proves each block, or in their `length`. */
export const mends = ['tree', 'length'] as const
export type Mended = (typeof mends)[number]

/**
 * The outcome of reading a copy back in full. `mended`: the repairs made in place, if any; the bytes were intact.
 * `absent`: the network answered that there is no such copy. `mismatch`: it gave other bytes than expected, or bytes
 * that do not belong to the blob id.
 */
export type Proof =
  | { ok: true; expiresAt: Date | null; mended?: readonly Mended[] }
  | { ok: false; reason: 'absent' | 'mismatch' }

/** A copy that was made permanent, or whose life was extended. */
export interface Committed {
  /** Null: kept until removed. */
  expiresAt: Date | null
  /**
   * What the driver wants remembered from now on, where it knows more than when the bytes were staged, such as
   * versions.
   */
  ref?: Record<string, string>
}

/**
 * The outcome of removing a copy: `released`, or the network keeps it until `expiresAt` and refuses to remove it
 * sooner.
 */
export type Removal = { outcome: 'released' } | { outcome: 'expires'; expiresAt: Date | null }

/** Bytes that are in the network but under no reference yet. Disposing of it discards them, unless committed. */
export interface StagedBlob extends AsyncDisposable {
  /** The content's id in the network: equal bytes have equal ids. */
  readonly blobId: string
  /** Lower-case hex of all bytes. */
  readonly sha256: string
  readonly sizeBytes: number
  /** Data to remember in addition to blob ID and reference (`CopyName.ref`); opaque to callers. */
  readonly ref: Record<string, string>
  /**
   * Makes the bytes durable under their reference, replacing a copy that is there already. Once it has succeeded,
   * calling it again changes nothing.
   * @throws NetworkError `staged_lost` when the staged bytes no longer exist, `no_space`, `copy_failed`,
   * `unreachable`
   */
  commit(): Promise<Committed>
  /** Drops the staged bytes; nothing happens when they were committed or discarded before. */
  discard(): Promise<void>
}

/** Room on the network's volume. Below `reserveBytes` nothing more is stored. */
export interface NetworkSpace {
  freeBytes: number
  totalBytes: number
  reserveBytes: number
}

/**
 * A content-addressed network that keeps one copy per reference, so that removing one never affects another copy of
 * the same bytes.
 *
 * Every method throws `NetworkError`: `unreachable` also when what is there is not this installation's, and never an
 * answer about copies then; `refused` for a reference that is not a valid one. An aborted signal ends the call with
 * the abort.
 */
export interface StorageNetwork {
  /** The network's name within the installation, such as `disk-a`. */
  readonly name: string
  readonly driver: 'embedded' | 's3' | 'ipfs' | 'walrus'
  readonly maxBlobBytes: number
  /**
   * `expires`: copies run out, or may be removed by others, unless renewed. `removes`: removal frees a copy at once
   * instead of waiting for its end.
   */
  readonly caps: { readonly expires: boolean; readonly removes: boolean }

  /** The blob id that these bytes would get, where their SHA-256 (lower-case hex) tells it; else null. */
  blobIdOf(content: { sha256: string; sizeBytes: number }): string | null

  /**
   * What the network bills for a copy of so many bytes: all that is kept for it, and at least what counts as least
   * there.
   * Told without asking anybody.
   */
  billedBytes(sizeBytes: number): number

  /** When the lease of a copy that is stored now would end, unless it is renewed; null: it is kept until removed. */
  leaseEnd(): Date | null

  /**
   * Takes the bytes in one pass, with constant memory. The body is consumed or destroyed in every case; its own errors
   * pass through unchanged. With `sizeBytes`, a network without room for them says so before it takes any.
   * @throws NetworkError `too_large`, `no_space`, `copy_failed`, `unreachable`
   */
  stage(
    body: AsyncIterable<Uint8Array>,
    options: { reference: string; sizeBytes?: number; signal: AbortSignal },
  ): Promise<StagedBlob>

  /**
   * Opens a copy, or a range of it. With a copy's whole name only that one is read, with a blob id any that verifies.
   * Every byte is verified before it is given, in pieces of 128 KiB at most; a copy that turns out to be broken
   * destroys the stream with `integrity`. The signal governs the stream too.
   * @throws NetworkError `not_found`, `integrity`, `restoring`, `copy_failed`, `unreachable`; `refused` for a range
   * that
   * leaves the blob
   */
  open(
    copy: CopyName | { blobId: string },
    options: { range?: ByteRange | undefined; signal: AbortSignal },
  ): Promise<Readable>

  /** A cheap look at one copy. @throws NetworkError `unreachable`, `copy_failed` */
  stat(copy: CopyName, signal: AbortSignal): Promise<ReferenceState>

  /**
   * Every copy there is, in no order; it takes its time. For operators: no service lists anything.
   * @throws NetworkError `unreachable`, `copy_failed`, after which nothing may be concluded from what was not listed
   */
  references(signal: AbortSignal): AsyncIterable<Reference>

  /**
   * Reads one copy back in full, from where it is kept and from no cache, and compares it with what it has to be.
   * Intact bytes are proved only when every reader can open the copy: other faults are repaired.
   * @throws NetworkError `restoring`, `unreachable`, `copy_failed`, `no_space`, which prove nothing either way
   */
  prove(copy: CopyName, expected: { sha256: string; sizeBytes: number }, signal: AbortSignal): Promise<Proof>

  /**
   * Extends a copy's life; where copies do not expire only checks that it is there. May take as long as storing it.
   * @throws NetworkError `not_found`, `copy_failed`, `unreachable`
   */
  renew(copy: CopyName, signal: AbortSignal): Promise<Committed>

  /**
   * Lets go of one copy, and looks at nothing else. An absent one is as good as removed.
   * @throws NetworkError `copy_failed`, `unreachable`
   */
  remove(copy: CopyName, signal: AbortSignal): Promise<Removal>

  /**
   * Tries the network; `toStore` asks for room for more copies, too.
   * @throws NetworkError `unreachable` when it cannot work now
   */
  health(signal: AbortSignal, needs?: { toStore: boolean }): Promise<void>

  /** Null where there is no such thing as room. @throws NetworkError `unreachable` */
  space(signal: AbortSignal): Promise<NetworkSpace | null>
}
