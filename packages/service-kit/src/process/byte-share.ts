import { AppError } from './app-error.ts'

const RETRY_AFTER_SECONDS = 2

/** Memory of which there may be only so much at once, in this process and for one holder. */
export interface ByteShare {
  readonly takenBytes: number
  /** Room for one body, which grows as `grow` says and is given back when disposed of. */
  open(holder: string): Room
}

export interface Room extends Disposable {
  /** Throws `unavailable` with `Retry-After` when there is no more: nobody waits for it. */
  grow(bytes: number): void
}

interface ByteShareOptions {
  maxBytes: number
  perHolderBytes: number
  /** What a client is told when there is no more. */
  refusal?: string
}

export function createByteShare({
  maxBytes,
  perHolderBytes,
  refusal = 'Too many bytes are being uploaded at once',
}: ByteShareOptions): ByteShare {
  let takenBytes = 0
  const ofHolders = new Map<string, number>()

  function add(holder: string, bytes: number): void {
    const own = (ofHolders.get(holder) ?? 0) + bytes
    if (own === 0) ofHolders.delete(holder)
    else ofHolders.set(holder, own)
    takenBytes += bytes
  }

  return {
    get takenBytes() {
      return takenBytes
    },
    open(holder) {
      let ownBytes = 0
      return {
        grow(bytes) {
          const ofHolder = (ofHolders.get(holder) ?? 0) + bytes
          if (takenBytes + bytes > maxBytes || ofHolder > perHolderBytes) {
            const retryAfterSeconds = RETRY_AFTER_SECONDS
            throw new AppError('unavailable', refusal, { retryAfterSeconds })
          }
          add(holder, bytes)
          ownBytes += bytes
        },
        [Symbol.dispose]() {
          add(holder, -ownBytes)
          ownBytes = 0
        },
      }
    },
  }
}
