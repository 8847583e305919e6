import type { Readable } from 'node:stream'

/** Bytes `start` to `end`, both inclusive, already clamped to the blob: `0 <= start <= end < size`. */
export interface ByteRange {
  start: number
  end: number
}

/** What the network says of one file's reference, without reading its bytes. `expiresAt` null = kept until removed. */
export type ReferenceState = { state: 'present'; sizeBytes: number; expiresAt: Date | null } | { state: 'absent' }

/**
 * The outcome of reading a copy back in full. `absent`: the network answered that there is no such reference.
 * `mismatch`: it gave other bytes than expected, or bytes that do not belong to the blob id.
 */
export type Proof = { ok: true; expiresAt: Date | null } | { ok: false; reason: 'absent' | 'mismatch' }

/** Bytes that are in the network but under no reference yet. Disposing of it discards them, unless committed. */
export interface StagedBlob extends AsyncDisposable {
  /** The content's id in the network: equal bytes have equal ids. */
  readonly blobId: string
  /** Lower-case hex of all bytes. */
  readonly sha256: string
  readonly sizeBytes: number
  /** What the driver wants remembered beside the blob id; opaque to callers. */
  readonly ref: Record<string, string>
  /**
   * Makes the bytes durable under the file's reference, replacing a copy that is there already. Once it has succeeded,
   * calling it again changes nothing.
   * @throws NetworkError `staged_lost` when the staged bytes are not there any more, `unreachable`
   */
  commit(): Promise<{ expiresAt: Date | null }>
  /** Drops the staged bytes; nothing happens when they were committed or discarded before. */
  discard(): Promise<void>
}

/**
 * A content-addressed network that keeps one copy per file. The copy is held by a reference of its file, so that
 * removing one file's copy never touches another's, whoever stored the same bytes.
 *
 * File ids are 1 to 128 letters, digits, `-`, `_`. Every method throws `NetworkError`; an aborted signal ends the call
 * with the abort.
 */
export interface StorageNetwork {
  /** `embedded`, `ipfs`, `walrus`. */
  readonly id: string
  readonly maxBlobBytes: number
  /** `expires`: copies run out unless renewed. `removes`: removal frees a copy at once instead of waiting for its end. */
  readonly caps: { readonly expires: boolean; readonly removes: boolean }

  /**
   * Takes the bytes in one pass, with constant memory. The body is consumed or destroyed in every case; its own errors
   * pass through unchanged.
   * @throws NetworkError `too_large`, `unreachable`
   */
  stage(body: AsyncIterable<Uint8Array>, options: { fileId: string; signal: AbortSignal }): Promise<StagedBlob>

  /**
   * Opens a blob, or a range of it. With `fileId` only that file's copy is read, without it any copy that verifies.
   * Every byte is verified before it is given; a copy that turns out to be broken destroys the stream with
   * `integrity`. The signal governs the stream too.
   * @throws NetworkError `not_found`, `integrity`, `unreachable`; `refused` for a range that leaves the blob
   */
  open(
    blobId: string,
    options: { fileId?: string | undefined; range?: ByteRange | undefined; signal: AbortSignal },
  ): Promise<Readable>

  /** A cheap look at one file's reference. @throws NetworkError `unreachable` */
  stat(blobId: string, fileId: string, signal: AbortSignal): Promise<ReferenceState>

  /**
   * Reads the copy under this file's reference back in full and compares it with what it has to be.
   * @throws NetworkError `unreachable`, which proves nothing either way
   */
  prove(
    blobId: string,
    fileId: string,
    expected: { sha256: string; sizeBytes: number },
    signal: AbortSignal,
  ): Promise<Proof>

  /** Extends the life of the file's copy; where copies do not expire only checks that it is there. */
  renew(blobId: string, fileId: string, signal: AbortSignal): Promise<{ expiresAt: Date | null }>

  /**
   * Lets go of the file's reference. Without a blob id the network looks for it. An absent one is as good as removed.
   * `expires`: the network never forgets before the copy's end.
   */
  remove(fileId: string, blobId: string | null, signal: AbortSignal): Promise<'released' | 'expires'>

  /** @throws NetworkError `unreachable` when the network cannot work now */
  health(signal: AbortSignal): Promise<void>
}
