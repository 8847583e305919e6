/** How long a batch stays open at most while the one before it is under way. */
const OPEN_MS = 5

export interface GatherOptions<B> {
  open(): B
  /** Must not reject. */
  send(batch: B): Promise<void>
  /** No batch is open and none under way. */
  onIdle?(): void
}

/** Requests of one turn are a batch; while one is in progress, the next stays open for up to 5 ms. Nobody joins a sent batch. */
export function gather<B>({ open, send, onIdle }: GatherOptions<B>): () => B {
  let underWay = 0
  let gathered: B | undefined
  let timer: NodeJS.Timeout | undefined

  async function sendGathered(): Promise<void> {
    if (gathered === undefined) return
    const batch = gathered
    gathered = undefined
    clearTimeout(timer)
    underWay += 1
    await send(batch)
    underWay -= 1
    if (gathered !== undefined) void sendGathered()
    else if (underWay === 0) onIdle?.()
  }

  return () => {
    if (gathered === undefined) {
      gathered = open()
      if (underWay === 0) setImmediate(sendGathered)
      else timer = setTimeout(sendGathered, OPEN_MS)
    }
    return gathered
  }
}
