import manifest from '../package.json' with { type: 'json' }

/** As it was released. */
export const version: string = manifest.version
