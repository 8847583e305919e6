import { AsyncLocalStorage } from 'node:async_hooks'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type undici from 'undici'

/** As much as a socket of Node buffers in each direction. */
const HIGH_WATER_MARK = 64 * 1024

const outsideRequests = AsyncLocalStorage.snapshot()

/** Outside the caller's stack and request: neither its errors nor its context may reach the other end. */
function later(work: () => void): void {
  outsideRequests(() => process.nextTick(work))
}

type Done = (error?: Error | null) => void

/**
 * One end of a connection in memory, with what servers and clients use of a socket. A write completes when the other end
 * has room. Bytes that were written before an end closes can still be read.
 */
class End extends Duplex {
  bytesRead = 0
  readonly remoteAddress = '127.0.0.1'
  #other = this as End
  #takenBytes = 0
  #isEnded = false
  /** Completes the last write of the other end. */
  #onRoom: Done | undefined
  #idle: NodeJS.Timeout | undefined

  /** `allowHalfOpen` as in the sockets of servers (true) and of clients (false). */
  constructor(allowHalfOpen: boolean) {
    super({ highWaterMark: HIGH_WATER_MARK, allowHalfOpen })
  }

  static pair(): [End, End] {
    const [one, other] = [new End(false), new End(true)]
    one.#other = other
    other.#other = one
    return [one, other]
  }

  /** Includes bytes that the other end has not taken yet, as in a socket. */
  get bytesWritten(): number {
    return this.#takenBytes + this.writableLength
  }

  override _read(): void {
    const onRoom = this.#onRoom
    this.#onRoom = undefined
    // In another turn of the event loop, so that a large body does not delay other work.
    if (onRoom !== undefined) outsideRequests(() => setImmediate(onRoom))
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    this.#idle?.refresh()
    later(() => this.#other.#receive(chunk, done))
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), '', done)
  }

  override _final(done: Done): void {
    later(() => this.#other.#end())
    done()
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.#idle)
    later(() => {
      this.#onRoom?.(brokenPipe())
      this.#other.#end()
    })
    done(error)
  }

  #receive(chunk: Buffer, done: Done): void {
    if (this.destroyed) {
      done(brokenPipe())
      return
    }
    this.#idle?.refresh()
    this.bytesRead += chunk.length
    this.#other.#takenBytes += chunk.length
    if (this.push(chunk)) done()
    else this.#onRoom = done
  }

  #end(): void {
    if (this.#isEnded || this.destroyed) return
    this.#isEnded = true
    this.push(null)
  }

  /** Ends the connection after the written bytes. */
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }

  setTimeout(ms: number, onTimeout?: () => void): this {
    clearTimeout(this.#idle)
    this.#idle = ms > 0 ? setTimeout(() => this.emit('timeout'), ms).unref() : undefined
    if (onTimeout) this.once('timeout', onTimeout)
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
    later(() => {
      running.emit('connection', theirs)
      callback(null, ours as unknown as Socket)
    })
  }
}
