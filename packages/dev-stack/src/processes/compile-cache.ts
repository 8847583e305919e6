import { fileURLToPath } from 'node:url'

/** Saves a second of compilation at each start. Is deleted together with node_modules. */
export const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/node', import.meta.url))
