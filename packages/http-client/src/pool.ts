import { createRequire } from 'node:module'
import type undici from 'undici'
import { buildConnector } from './connector.ts'

const require = createRequire(import.meta.url)

/** Adds the methods that undici's `index.js` adds to a dispatcher. */
Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'))

/** undici's pool without fetch, caches, and mocks: those are most of what undici would load at startup. */
const Pool: typeof undici.Pool = require('undici/lib/dispatcher/pool.js')

interface PoolOptions extends Omit<undici.Pool.Options, 'connect' | 'allowH2'> {
  /** Settings of the connector, or a connector from `buildConnector`. */
  connect: undici.buildConnector.BuildOptions | undici.buildConnector.connector
}

/** Opens connections to one origin, over HTTP/1.1. */
export function openPool(origin: string, { connect, ...options }: PoolOptions): undici.Pool {
  return new Pool(origin, {
    ...options,
    allowH2: false,
    connect: typeof connect === 'function' ? connect : buildConnector(connect),
  })
}
