import type { Readable } from 'node:stream'
import { NetworkError } from '../errors.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { ContentDigest, type ContentFacts } from './content-digest.ts'
import type { Content } from './entry.ts'
import { leavesOf } from './leaves-of.ts'

/** Longer than any pause of a healthy network within a response. */
const SILENCE_MS = 30_000

export interface Answer {
  body: Readable
  /** Called at the end of the body. Throws if the response is incomplete. */
  assertWhole?: () => void
  failureOf: (error: unknown) => Error
}

/** The bytes of a response from `start` on, read sequentially. Throws `NetworkError` if the response breaks off. */
export class StreamedContent implements Content {
  readonly #body: Readable
  readonly #chunks: AsyncIterator<Buffer>
  #at: number
  #left: Buffer = Buffer.alloc(0)

  constructor(answer: Answer, start: number) {
    this.#body = answer.body
    this.#chunks = chunksOf(answer)
    this.#at = start
  }

  async fill(space: Buffer, position: number): Promise<boolean> {
    if (position !== this.#at) throw new Error('A response can only be read from start to end')
    for (let filled = 0; filled < space.length; ) {
      if (this.#left.length === 0) {
        const { done, value } = await this.#chunks.next()
        if (done) return false
        this.#left = value
      }
      const taken = this.#left.copy(space, filled)
      filled += taken
      this.#left = this.#left.subarray(taken)
    }
    this.#at += space.length
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#body.destroy()
  }
}

/** Reads a complete response and returns the facts of its bytes, with the memory of one leaf. @throws NetworkError */
export async function digestOf(answer: Answer, signal: AbortSignal): Promise<ContentFacts> {
  const digest = new ContentDigest()
  const space = Buffer.allocUnsafeSlow(UNIXFS_V1_2025.leafBytes)
  try {
    for await (const leaf of leavesOf(chunksOf(answer), () => space)) digest.addLeaf(leaf)
  } finally {
    answer.body.destroy()
    signal.throwIfAborted()
  }
  return digest.finish()
}

/** The timeout runs only while a reader waits for bytes. A reader may be slow. */
async function* chunksOf({ body, assertWhole, failureOf }: Answer): AsyncGenerator<Buffer, void, void> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  try {
    for (;;) {
      const timer = setTimeout(() => body.destroy(silent()), SILENCE_MS)
      const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
      if (done) break
      yield value
    }
    assertWhole?.()
  } catch (error) {
    throw failureOf(error)
  }
}

function silent(): NetworkError {
  return new NetworkError('copy_failed', 'the network stopped sending in the middle of a response', {
    fault: 'hanging',
  })
}
