import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type undici from 'undici'

const require = createRequire(import.meta.url)

/** Avoids loading the rest of undici's `index.js` at startup. */
const build: typeof undici.buildConnector = require('undici/lib/core/connect.js')
const { kParser }: { kParser: symbol } = require('undici/lib/core/symbols.js')

interface Parser {
  onHeadersComplete(status: number, isUpgrade: boolean, shouldKeepAlive: boolean): number
}

const tolerant = new WeakSet<Parser>()

/** undici's connector, over HTTP/1.1. Its connections accept an unrequested `100 Continue`. */
export function buildConnector(options: undici.buildConnector.BuildOptions): undici.buildConnector.connector {
  const connect = build({ ...options, allowH2: false })
  return (target, callback) =>
    connect(target, (...result) => {
      if (result[0] === null) watchParser(result[1])
      callback(...result)
    })
}

/** undici does not export its parser, and assigns it to the socket before the first byte is read. */
function watchParser(socket: Socket): void {
  Object.defineProperty(socket, kParser, {
    configurable: true,
    get: () => null,
    set(parser: Parser) {
      Object.defineProperty(socket, kParser, { value: parser, writable: true, configurable: true })
      acceptContinue(Object.getPrototypeOf(parser))
    },
  })
}

/** Clients must accept interim responses (RFC 9110 §15.2). undici closes on 100 and skips others. Reads 100 as 103. */
function acceptContinue(prototype: Parser): void {
  if (tolerant.has(prototype)) return
  tolerant.add(prototype)
  const complete = prototype.onHeadersComplete
  prototype.onHeadersComplete = function (status, isUpgrade, shouldKeepAlive) {
    return complete.call(this, status === 100 ? 103 : status, isUpgrade, shouldKeepAlive)
  }
}
