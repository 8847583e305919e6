import { createRequire } from 'node:module'
import type undici from 'undici'

const require = createRequire(import.meta.url)

/** What undici's `index.js` makes a dispatcher of. */
Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'))

/** undici's pool without fetch, caches and mocks: they are most of what a start would load of it. */
export const Pool: typeof undici.Pool = require('undici/lib/dispatcher/pool.js')
