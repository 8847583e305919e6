import { connect, createServer } from 'node:net'
import { addAbortSignal, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { listenOnLoopback } from '@tideport/testing/loopback-server'
import { AppError } from '../../../src/process/app-error.ts'

const destroyed = () => new Readable().destroy()

/** Errors without a listener, by the kind that the process assigns to them. */
export const breakUnheard: Record<string, () => unknown> = {
  aborted: () => addAbortSignal(AbortSignal.abort(), new Readable()),
  stream: () => pipeline(destroyed(), process.stderr, { end: false }),
  async connection() {
    const server = createServer((socket) => socket.resetAndDestroy())
    connect(await listenOnLoopback(server), '127.0.0.1').once('close', () => server.close())
  },
  answer: () => Promise.reject(new AppError('unavailable', 'Too many downloads are under way')),
  nothingOfAll: () => setImmediate(() => (undefined as unknown as Readable).destroy()),
}
