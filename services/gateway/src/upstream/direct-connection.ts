import { AsyncLocalStorage } from 'node:async_hooks'
import type { Server } from 'node:http'
import { Duplex } from 'node:stream'
import type undici from 'undici'

const HIGH_WATER_MARK = 64 * 1024

/** Runs callbacks outside the request that opened the connection. */
const outsideRequests = AsyncLocalStorage.snapshot()

type Done = (error?: Error | null) => void

/**
 * One end of a connection in memory, with what servers and clients use of a socket. A write completes when the other end
 * has room. An end that is destroyed before it has ended resets the connection.
 */
class End extends Duplex {
  bytesRead = 0
  bytesWritten = 0
  readonly remoteAddress = '127.0.0.1'
  #other: End | undefined
  /** Completes the last write of the other end. */
  #onRoom: Done | undefined

  constructor() {
    super({ highWaterMark: HIGH_WATER_MARK })
  }

  static pair(): [End, End] {
    const [one, other] = [new End(), new End()]
    one.#other = other
    other.#other = one
    return [one, other]
  }

  override _read(): void {
    this.#completeWrite()
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    this.#other?.receive([chunk], done)
    this.bytesWritten += chunk.length
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    const buffers = chunks.map(({ chunk }) => chunk)
    this.#other?.receive(buffers, done)
    for (const { length } of buffers) this.bytesWritten += length
  }

  override _final(done: Done): void {
    outsideRequests(() => this.#other?.push(null))
    done()
  }

  override _destroy(error: Error | null, done: Done): void {
    const isReset = !this.writableFinished
    process.nextTick(() => {
      this.#completeWrite(brokenPipe())
      if (isReset) this.#other?.destroy()
    })
    done(error)
  }

  receive(chunks: readonly Buffer[], done: Done): void {
    if (this.destroyed) return void process.nextTick(done, brokenPipe())
    let hasRoom = true
    outsideRequests(() => {
      for (const chunk of chunks) {
        this.bytesRead += chunk.length
        hasRoom = this.push(chunk)
      }
    })
    if (hasRoom) process.nextTick(done)
    else this.#onRoom = done
  }

  #completeWrite(error?: Error): void {
    const onRoom = this.#onRoom
    this.#onRoom = undefined
    onRoom?.(error)
  }

  /** Ends the connection after the written bytes. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  // A connection in memory has no timers and no options of the kernel.
  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

const brokenPipe = () => Object.assign(new Error('The other end closed the connection'), { code: 'EPIPE' })

/**
 * Connects to a server of this process without the kernel: requests and responses are the same as over TCP, and cost
 * less CPU. While `server` returns undefined, connections are refused.
 */
export function connectDirectly(server: () => Server | undefined): undici.buildConnector.connector {
  return (_options, callback) => {
    const running = server()
    if (running === undefined) {
      const refused = Object.assign(new Error('The service has not started'), { code: 'ECONNREFUSED' })
      return void process.nextTick(callback, refused, null)
    }
    const [ours, theirs] = End.pair()
    outsideRequests(() => running.emit('connection', theirs))
    process.nextTick(callback, null, ours)
  }
}
