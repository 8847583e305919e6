import { join, resolve } from 'node:path'
import { buildPackage } from './build-package.ts'

/** `npm run build -w @tideport/sdk [-- DIRECTORY]` builds the package for `npm publish packages/sdk/dist`. */
const [directory] = process.argv.slice(2)
await buildPackage(directory === undefined ? join(import.meta.dirname, '../dist') : resolve(directory))
