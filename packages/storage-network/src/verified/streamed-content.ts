import type { Readable } from 'node:stream'
import type { Content } from '../verified/entry.ts'
import { failureOf } from './failure.ts'

/** The bytes of an answer from `start` on, read front to back. Throws `NetworkError` when the answer breaks off. */
export class ObjectContent implements Content {
  readonly #body: Readable
  readonly #chunks: AsyncIterator<Buffer>
  #at: number
  #left: Buffer = Buffer.alloc(0)

  constructor(body: Readable, start: number) {
    this.#body = body
    this.#chunks = body[Symbol.asyncIterator]()
    this.#at = start
  }

  async fill(space: Buffer, position: number): Promise<boolean> {
    if (position !== this.#at) throw new Error('An answer is read front to back')
    for (let filled = 0; filled < space.length; ) {
      if (this.#left.length === 0) {
        const next = await this.#next()
        if (next === null) return false
        this.#left = next
      }
      const taken = this.#left.copy(space, filled)
      filled += taken
      this.#left = this.#left.subarray(taken)
    }
    this.#at += space.length
    return true
  }

  async #next(): Promise<Buffer | null> {
    try {
      const { done, value } = await this.#chunks.next()
      return done ? null : value
    } catch (error) {
      throw failureOf(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#body.destroy()
  }
}
