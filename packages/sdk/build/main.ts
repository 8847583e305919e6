import { join, resolve } from 'node:path'
import { buildPackage } from './build-package.ts'

/** `npm run build -w @tideport/sdk`: what `npm publish packages/sdk/dist` takes; or, with a directory behind it, there. */
const [directory] = process.argv.slice(2)
await buildPackage(directory === undefined ? join(import.meta.dirname, '../dist') : resolve(directory))
