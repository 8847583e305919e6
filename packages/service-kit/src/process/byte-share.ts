import { AppError } from './app-error.ts'
import { type ClientPace, GRACE_MS, LOOK_MS, type Pace, watchPace } from './client-pace.ts'

const RETRY_AFTER_SECONDS = 2

export interface ByteShare {
  readonly takenBytes: number
  /** Opens a reservation of memory for one body. When memory runs short, a sender with a slow `pace` loses it. */
  open(holder: string, pace?: () => Pace): Room
}

export interface Room extends Disposable {
  /** Never waits: throws `unavailable` with `Retry-After` when no memory is left. */
  grow(bytes: number): void
  /** Aborts with the same error when a faster sender gets the memory. */
  readonly signal: AbortSignal
}

interface ByteShareOptions {
  maxBytes: number
  perHolderBytes: number
  /** The message for clients when no memory is left. */
  refusal?: string
}

interface Paced {
  holder: string
  ownBytes: number
  clientPace: ClientPace
  lost: AbortController
}

export function createByteShare({
  maxBytes,
  perHolderBytes,
  refusal = 'Too many bytes are being uploaded at once',
}: ByteShareOptions): ByteShare {
  let takenBytes = 0
  const ofHolders = new Map<string, number>()
  const paced = new Set<Paced>()
  let looking: NodeJS.Timeout | undefined
  let lookedAt = 0

  const error = () => new AppError('unavailable', refusal, { retryAfterSeconds: RETRY_AFTER_SECONDS })
  const heldBy = (holder: string) => ofHolders.get(holder) ?? 0

  function add(holder: string, bytes: number): void {
    const own = heldBy(holder) + bytes
    if (own === 0) ofHolders.delete(holder)
    else ofHolders.set(holder, own)
    takenBytes += bytes
  }

  function look(): void {
    const now = performance.now()
    for (const { clientPace } of paced) clientPace.look(now - lookedAt)
    lookedAt = now
  }

  function watch(room: Paced): void {
    paced.add(room)
    if (looking !== undefined) return
    lookedAt = performance.now()
    looking = setInterval(look, LOOK_MS).unref()
  }

  function unwatch(room: Paced): void {
    paced.delete(room)
    if (paced.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  /** Senders whose memory a newcomer may take: slow senders of holders with more memory; after a longer time, any. */
  function slowOnes(holder: string, isOwnFull: boolean): Paced[] {
    const isSlow = ({ clientPace: { behindMs, isWaiting }, holder: other }: Paced) =>
      isWaiting && behindMs >= (heldBy(other) > heldBy(holder) ? GRACE_MS.fewer : GRACE_MS.equal)
    return [...paced]
      .filter((room) => room.ownBytes > 0 && (!isOwnFull || room.holder === holder) && isSlow(room))
      .toSorted((a, b) => heldBy(b.holder) - heldBy(a.holder) || b.clientPace.behindMs - a.clientPace.behindMs)
  }

  /** Cuts slow senders if memory is short. If that would not free enough, throws and cuts none. */
  function makeRoom(holder: string, bytes: number): void {
    const ownShort = heldBy(holder) + bytes - perHolderBytes
    const short = Math.max(takenBytes + bytes - maxBytes, ownShort)
    if (short <= 0) return
    const cut: Paced[] = []
    let freed = 0
    for (const room of slowOnes(holder, ownShort > 0)) {
      if (freed >= short) break
      cut.push(room)
      freed += room.ownBytes
    }
    if (freed < short) throw error()
    for (const room of cut) {
      giveBack(room)
      room.lost.abort(error())
    }
  }

  function giveBack(room: Paced): void {
    unwatch(room)
    add(room.holder, -room.ownBytes)
    room.ownBytes = 0
  }

  return {
    get takenBytes() {
      return takenBytes
    },
    open(holder, pace = () => ({ movedBytes: 0, isWaiting: false })) {
      const room: Paced = { holder, ownBytes: 0, clientPace: watchPace(pace), lost: new AbortController() }
      watch(room)
      return {
        signal: room.lost.signal,
        grow(bytes) {
          room.lost.signal.throwIfAborted()
          makeRoom(holder, bytes)
          add(holder, bytes)
          room.ownBytes += bytes
        },
        [Symbol.dispose]: () => giveBack(room),
      }
    },
  }
}
